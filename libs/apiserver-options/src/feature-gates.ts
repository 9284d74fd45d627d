import { goQuote } from '@apichain/go-text';
import type { FeatureGate } from '@apichain/observability';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** Gates that set all gates of a stage. */
const groups: ReadonlySet<string> = new Set(['AllAlpha', 'AllBeta']);

/** The feature gates of a release. */
export interface KnownGates {
  readonly known: () => Readonly<Record<string, FeatureGate>>;
  /** Which gates are enabled under a validated `--feature-gates`. */
  readonly open: (given: ReadonlyMap<string, string>) => (gate: string) => boolean;
}

/** The known feature gates, and those that `--feature-gates` sets. */
export interface FeatureGates {
  readonly known: KnownGates['known'];
  readonly given: ReadonlyMap<string, string>;
  /** Whether a gate is enabled. Called when a server is built, not for every request. */
  readonly isOpen: (gate: string) => boolean;
}

/**
 * Throws FlagError for an unknown gate, an invalid value, and a gate that can no longer be set. Gates that are given another value than their
 * default, and have no effect, become one warning.
 */
export function featureGatesOf(flags: ParsedFlags, { known, open }: KnownGates): FeatureGates {
  const given = flags.map('feature-gates');
  for (const [name, value] of given) {
    const refuse = (why: string) =>
      new FlagError(`invalid argument ${goQuote(`${name}=${value}`)} for "--feature-gates" flag: ${why}`);
    if (!/^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(value)) {
      throw refuse(
        `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${goQuote(value)}: invalid syntax`,
      );
    }
    if (groups.has(name)) continue;
    const gates = known();
    const gate = Object.hasOwn(gates, name) ? gates[name] : undefined;
    if (gate === undefined) throw refuse(`unrecognized feature gate: ${name}`);
    if (gate.locked === true && value !== String(gate.default)) {
      throw refuse(`cannot set feature gate ${name} to ${value}, feature is locked to ${gate.default}`);
    }
  }
  const isOpen = open(given);
  const idle = [...given.keys()]
    .filter((name) => !groups.has(name) && !effectiveGates.has(name) && isOpen(name) !== known()[name]?.default)
    .map((name) => `${name}=${isOpen(name)}`);
  if (idle.length > 0)
    flags.warn(`--feature-gates: ${idle.join(', ')} ${idle.length === 1 ? 'is' : 'are'} accepted but without effect`);
  return { known, given, isOpen };
}

/**
 * The feature gates whose value changes what this API server does. Others are accepted, because kube-apiserver accepts them: they belong to
 * kubelets, controllers and Go libraries, to internals that no client sees, or to features that are not implemented.
 */
const effectiveGates: ReadonlySet<string> = new Set([
  'APIServerIdentity',
  'AllowInsecureKubeletCertificateSigningRequests',
  'CBORServingAndStorage',
  'ClusterTrustBundle',
  'ClusterTrustBundleProjection',
  'ComponentFlagz',
  'ComponentStatusz',
  'ConstrainedImpersonation',
  'ContainerRestartRules',
  'ContainerStopSignals',
  'CoordinatedLeaderElection',
  'CrossNamespaceVolumeDataSource',
  'DRAConsumableCapacity',
  'DRADeviceBindingConditions',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAPartitionableDevices',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DRAWorkloadResourceClaims',
  'DeploymentReplicaSetTerminatingReplicas',
  'EnvFiles',
  'GenericWorkload',
  'HPAConfigurableTolerance',
  'HostnameOverride',
  'ImageVolumeWithDigest',
  'InPlacePodLevelResourcesVerticalScaling',
  'MatchLabelKeysInPodTopologySpread',
  'MaxUnavailableStatefulSet',
  'NodeDeclaredFeatures',
  'PodCertificateRequest',
  'PodLevelResources',
  'ResourceHealthStatus',
  'ResourceHealthStatusMessage',
  'ServiceAccountNodeAudienceRestriction',
  'StorageVersionMigrator',
  'TopologyAwareWorkloadScheduling',
  'VolumeLimitScaling',
  'WatchList',
  'WorkloadAwarePreemption',
]);

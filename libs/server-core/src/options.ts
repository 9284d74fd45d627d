import {
  admissionFlags,
  admissionOptions,
  type AdmissionOptions,
  type ApiSet,
  apiSet,
  asFlagError,
  authorizationOfFlags,
  featureGatesOf,
  FlagError,
  followFlagFile,
  serviceFlags,
  serviceRouting,
  uidHeadersOf,
  type FlagDefinition,
  type ParsedFlags,
} from '@apichain/apiserver-options';
import {
  advertisedOf,
  etcdOptions,
  kubernetesEndpointsFlags,
  serverConfig,
  type Advertised,
  type EtcdOptions,
  type ServerConfig,
  type ServiceParts,
} from '@apichain/apiserver';
import { errorMessage } from '@apichain/meta';
import { FollowedFiles } from '@apichain/serving';
import { parseCertificateBundle } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';
import { LateStores } from '@apichain/storage';
import type { DefaultTolerations, ServiceRouting } from '@apichain/admission';
import {
  defaultServiceClusterIpRange,
  defaultServiceNodePortRange,
  formatPortRange,
  parsePortRange,
  parseServiceRanges,
  type Kubelets,
} from '@apichain/kinds-registry';
import {
  type RuntimeConfig,
  type StorageMediaType,
  storageMediaTypes,
  builtinGroupVersions,
  builtinProtobuf,
  checkRuntimeConfig,
  knownFeatureGates,
  openGates,
  registeredVersions,
} from '@apichain/kinds';
import { pluginConfiguration, type PluginConfiguration } from './admission-configuration.ts';
import type { AuthenticationConfig } from './bootstrap/authentication-config.ts';
import { kubeletFlags, kubeletsOf } from './kubelet-options.ts';
import { serviceAccountOptions, type ServiceAccountOptions } from './service-accounts.ts';

const section = 'kube-core';

/** Flags of kube-apiserver that only the server of the built-in kinds has. */
const ownFlags: readonly FlagDefinition[] = [
  ...admissionFlags,
  ...kubernetesEndpointsFlags,
  {
    name: 'service-cluster-ip-range',
    type: 'string',
    default: defaultServiceClusterIpRange,
    section,
    usage:
      'CIDR from which services get their cluster IPs; two of different families, separated by a comma, for dual-stack.',
  },
  {
    name: 'storage-media-type',
    type: 'string',
    default: storageMediaTypes[0],
    section,
    usage: `Format of stored objects: ${storageMediaTypes.join(' or ')}. Both can be read.`,
  },
  {
    name: 'service-node-port-range',
    type: 'string',
    default: defaultServiceNodePortRange,
    section,
    usage: 'Ports reserved for services of type NodePort, both ends included.',
  },
  {
    name: 'kubernetes-service-node-port',
    type: 'int',
    default: '0',
    section,
    usage: 'If not 0, the service "kubernetes" is of type NodePort with this port.',
  },
  {
    name: 'allow-privileged',
    type: 'bool',
    section,
    usage: 'If true, containers may be privileged. apichain up sets it.',
  },
  {
    name: 'enable-aggregator-routing',
    type: 'bool',
    section,
    usage: 'Reach the Services of webhooks by their endpoints instead of their cluster IP.',
  },
  {
    name: 'service-account-signing-key-file',
    type: 'string',
    section,
    usage: 'File of the private key that signs service account tokens.',
  },
  {
    name: 'service-account-max-token-expiration',
    type: 'duration',
    default: '0s',
    section,
    usage: 'Maximum lifetime of service account tokens; longer requests are shortened. 0 = no limit.',
  },
  {
    name: 'service-account-extend-token-expiration',
    type: 'bool',
    default: 'true',
    section,
    usage: 'Extend the tokens that kubelets request for pods to a year, for clients that do not reload them.',
  },
  {
    name: 'service-account-jwks-uri',
    type: 'string',
    section,
    usage: 'URI of the JSON web key set in the OpenID discovery document. Empty = the one of this server.',
  },
  {
    name: 'default-not-ready-toleration-seconds',
    type: 'int',
    default: '300',
    section,
    usage: 'Seconds that pods without their own toleration stay on a node that is not ready.',
  },
  {
    name: 'default-unreachable-toleration-seconds',
    type: 'int',
    default: '300',
    section,
    usage: 'Seconds that pods without their own toleration stay on an unreachable node.',
  },
];

/** Every flag of kube-core. */
export const kubeCoreFlags: readonly FlagDefinition[] = serviceFlags([...ownFlags, ...kubeletFlags]);

/** The complete and validated options of a kube-core server. */
export interface KubeCoreOptions {
  /** Without an installer: the server creates it. */
  readonly config: Omit<ServerConfig, 'installer'>;
  /** Bound by the server to its stores. */
  readonly stores: LateStores;
  readonly etcd: EtcdOptions;
  readonly runtimeConfig: RuntimeConfig;
  readonly storageMediaType: StorageMediaType;
  /** Whether containers may be privileged. */
  readonly allowPrivileged: boolean;
  /** One CIDR, or two of different families separated by a comma. */
  readonly serviceClusterIpRange: string;
  readonly serviceNodePortRange: string;
  readonly kubernetesServiceNodePort: number;
  /** Empty = determined automatically. */
  readonly advertiseAddress: string;
  /** The endpoint of the service `kubernetes`. */
  readonly advertised: Advertised;
  readonly admission: AdmissionOptions;
  /** The configuration of plugins in `--admission-control-config-file`. */
  readonly plugins: PluginConfiguration;
  readonly tolerations: DefaultTolerations;
  /** The built-in resources that are served. */
  readonly apis: ApiSet;
  /** How the Services of webhooks are reached. */
  readonly serviceRouting: ServiceRouting;
  readonly authentication: AuthenticationConfig;
  readonly serviceAccounts: ServiceAccountOptions;
  readonly kubelets: Kubelets;
}

/** Rethrows an error of the function as FlagError, with a prefix in front of its message. */
function checked<T>(beginning: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new FlagError(`${beginning}${errorMessage(error)}`);
  }
}

function storageMediaTypeOf(flags: ParsedFlags): StorageMediaType {
  const given = flags.string('storage-media-type');
  const known = storageMediaTypes.find((type) => type === given);
  if (known !== undefined) return known;
  throw new FlagError(`--storage-media-type "${given}" invalid, allowed values: ${storageMediaTypes.join(', ')}`);
}

/** Source: cmd/kube-apiserver/app/options/validation.go of kubernetes 1.36. */
function nodePortOf(flags: ParsedFlags, range: string): number {
  const port = flags.number('kubernetes-service-node-port');
  const { base, size } = parsePortRange(range);
  if (port < 0 || port > 65_535)
    throw new FlagError(
      `--kubernetes-service-node-port ${port} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
    );
  if (port > 0 && (port < base || port >= base + size))
    throw new FlagError(
      `kubernetes service node port range ${formatPortRange({ base, size })} doesn't contain ${port}`,
    );
  return port;
}

/** The published CAs follow changes of the files. */
function authenticationOf(flags: ParsedFlags, files: FollowedFiles): AuthenticationConfig {
  const followed = (flag: string): (() => string | undefined) => {
    const checkedPem = (pem: string) => {
      checked(`--${flag}: `, () => parseCertificateBundle(pem));
      return pem;
    };
    let current = followFlagFile(files, flags, flag, checkedPem, (pem) => {
      current = pem;
    });
    return () => current;
  };
  return {
    clientCA: followed('client-ca-file'),
    requestHeaderCA: followed('requestheader-client-ca-file'),
    usernameHeaders: flags.strings('requestheader-username-headers'),
    uidHeaders: uidHeadersOf(flags),
    groupHeaders: flags.strings('requestheader-group-headers'),
    extraHeaderPrefixes: flags.strings('requestheader-extra-headers-prefix'),
    allowedNames: flags.strings('requestheader-allowed-names'),
  };
}

interface KubeCoreParts extends Omit<ServiceParts, 'installer' | 'name' | 'stores' | 'reachesAccounts'> {
  /** The stores of this server, for other servers of the same process. */
  readonly stores?: LateStores;
}

const featureGates = { known: knownFeatureGates, open: openGates };

/** Throws FlagError. */
function serviceRangesOf(flags: ParsedFlags): { serviceClusterIpRange: string; serviceNodePortRange: string } {
  const serviceClusterIpRange = flags.string('service-cluster-ip-range');
  const serviceNodePortRange = flags.string('service-node-port-range');
  checked('', () => parseServiceRanges(serviceClusterIpRange));
  const badRange = `invalid argument ${goQuote(serviceNodePortRange)} for "--service-node-port-range" flag: `;
  checked(badRange, () => parsePortRange(serviceNodePortRange));
  return { serviceClusterIpRange, serviceNodePortRange };
}

const runtimeConfigOf = (flags: ParsedFlags): RuntimeConfig => Object.fromEntries(flags.map('runtime-config'));

/** Checks the values that no certificate and no store is needed for, before a chain makes any. Throws FlagError like `kubeCoreOptions`. */
export function checkKubeCoreFlags(flags: ParsedFlags): void {
  nodePortOf(flags, serviceRangesOf(flags).serviceNodePortRange);
  asFlagError(() => pluginConfiguration(admissionOptions(flags)));
  featureGatesOf(flags, featureGates);
  if (flags.string('authorization-config') === '') authorizationOfFlags(flags);
  const known = [...builtinGroupVersions, ...registeredVersions()];
  asFlagError(() => checkRuntimeConfig(runtimeConfigOf(flags), known));
  storageMediaTypeOf(flags);
  advertisedOf(flags);
}

/** Completes and validates the flags. Throws FlagError with one line for the operator. */
export async function kubeCoreOptions(
  flags: ParsedFlags,
  { stores = new LateStores(), ...parts }: KubeCoreParts = {},
): Promise<KubeCoreOptions> {
  const { serviceClusterIpRange, serviceNodePortRange } = serviceRangesOf(flags);
  const kubernetesServiceNodePort = nodePortOf(flags, serviceNodePortRange);
  const apis = apiSet(flags.string('apis'));
  const admission = admissionOptions(flags);
  const config = await serverConfig(flags, {
    ...parts,
    name: 'kube-core',
    stores: stores.open,
    reachesAccounts: true,
    protobuf: builtinProtobuf,
    featureGates,
    installer: () => {
      throw new Error('kube-core makes its own installer');
    },
  });
  const files = config.files ?? new FollowedFiles();
  return {
    config,
    stores,
    etcd: etcdOptions(flags, parts),
    runtimeConfig: runtimeConfigOf(flags),
    storageMediaType: storageMediaTypeOf(flags),
    allowPrivileged: flags.bool('allow-privileged'),
    serviceClusterIpRange,
    serviceNodePortRange,
    kubernetesServiceNodePort,
    advertiseAddress: flags.string('advertise-address'),
    advertised: advertisedOf(flags),
    admission,
    plugins: asFlagError(() => pluginConfiguration(admission)),
    apis,
    serviceRouting: serviceRouting(apis, flags.bool('enable-aggregator-routing')),
    tolerations: {
      notReadySeconds: flags.number('default-not-ready-toleration-seconds'),
      unreachableSeconds: flags.number('default-unreachable-toleration-seconds'),
    },
    authentication: authenticationOf(flags, files),
    serviceAccounts: serviceAccountOptions(flags),
    kubelets: kubeletsOf(flags, files),
  };
}

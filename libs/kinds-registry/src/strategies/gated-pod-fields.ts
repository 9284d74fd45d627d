import type { GatedFields } from './gated-fields.ts';

const containers = 'containers|initContainers|ephemeralContainers';
const statuses = 'containerStatuses|initContainerStatuses|ephemeralContainerStatuses';
const projections = 'volumes.*.projected.sources.*';

const filled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const always = 'Always';

const restartRules = {
  gate: 'ContainerRestartRules',
  usedAt: ['containers|initContainers.*.restartPolicy', 'initContainers.*.restartPolicyRules'],
  uses: (value: unknown) => value !== always,
};

/** After k8s.io/kubernetes/pkg/api/pod/util.go. */
const inSpec: readonly GatedFields[] = [
  {
    gate: 'PodLevelResources',
    paths: ['resources'],
    usedAt: ['resources.requests|limits'],
    uses: (amounts) => Object.keys(amounts as object).length > 0,
  },
  { gate: 'MatchLabelKeysInPodTopologySpread', paths: ['topologySpreadConstraints.*.matchLabelKeys'], uses: filled },
  { gate: 'ClusterTrustBundleProjection', paths: [`${projections}.clusterTrustBundle`] },
  { gate: 'PodCertificateRequest', paths: [`${projections}.podCertificate`] },
  { gate: 'GenericWorkload', paths: ['schedulingGroup'] },
  { ...restartRules, paths: ['containers|ephemeralContainers.*.restartPolicy|restartPolicyRules'] },
  // These rules do not apply to sidecars (init containers with restartPolicy Always).
  { ...restartRules, paths: ['initContainers.*.restartPolicy|restartPolicyRules'], only: (value) => value !== always },
  { gate: 'HostnameOverride', paths: ['hostnameOverride'] },
  { gate: 'EnvFiles', paths: [`${containers}.*.env.*.valueFrom.fileKeyRef`] },
  { gate: 'ContainerStopSignals', paths: [`${containers}.*.lifecycle.stopSignal`], withHolder: true },
];

const inStatus: readonly GatedFields[] = [
  { gate: 'InPlacePodLevelResourcesVerticalScaling', paths: ['resources|allocatedResources'] },
  { gate: 'DRAExtendedResource', paths: ['extendedResourceClaimStatus'] },
  { gate: 'ResourceHealthStatus', paths: [`${statuses}.*.allocatedResourcesStatus`], uses: filled },
  { gate: 'ResourceHealthStatusMessage', paths: [`${statuses}.*.allocatedResourcesStatus.*.resources.*.message`] },
  { gate: 'ImageVolumeWithDigest', paths: [`${statuses}.*.volumeMounts.*.volumeStatus`] },
  { gate: 'DRANodeAllocatableResources', paths: ['nodeAllocatableResourceClaimStatuses'], uses: filled },
];

const under = (prefix: string, all: readonly GatedFields[]): GatedFields[] =>
  all.map((fields) => ({
    ...fields,
    paths: fields.paths.map((path) => `${prefix}.${path}`),
    ...(fields.usedAt === undefined ? {} : { usedAt: fields.usedAt.map((path) => `${prefix}.${path}`) }),
  }));

/** The gated fields of the pod spec at `path`: `spec`, or the path of a pod template's spec. */
export const gatedPodFields = (path: string): GatedFields[] => under(path, inSpec);

/** The gated fields of a pod's status. */
export const gatedPodStatusFields: readonly GatedFields[] = under('status', inStatus);

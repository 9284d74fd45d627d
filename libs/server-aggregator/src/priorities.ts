import { lookupTable } from '@apichain/meta';

/** The position of a built-in group-version in discovery: higher numbers come first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/** kube-apiserver's table (pkg/controlplane/apiserver/aggregator.go); group-versions outside it are not registered. */
const table: Readonly<Record<string, { group: number; versions: Readonly<Record<string, number>> }>> = lookupTable<{
  group: number;
  versions: Readonly<Record<string, number>>;
}>({
  '': { group: 18_000, versions: { v1: 1 } },
  apps: { group: 17_800, versions: { v1: 15 } },
  'events.k8s.io': { group: 17_750, versions: { v1: 15, v1beta1: 5 } },
  'authentication.k8s.io': { group: 17_700, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'authorization.k8s.io': { group: 17_600, versions: { v1: 15 } },
  autoscaling: { group: 17_500, versions: { v2: 30, v1: 15, v2beta1: 9, v2beta2: 1 } },
  batch: { group: 17_400, versions: { v1: 15, v1beta1: 9, v2alpha1: 9 } },
  'certificates.k8s.io': { group: 17_300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'networking.k8s.io': { group: 17_200, versions: { v1: 15, v1beta1: 9 } },
  policy: { group: 17_100, versions: { v1: 15, v1beta1: 9 } },
  'rbac.authorization.k8s.io': { group: 17_000, versions: { v1: 15 } },
  'storage.k8s.io': { group: 16_800, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'apiextensions.k8s.io': { group: 16_700, versions: { v1: 15 } },
  'admissionregistration.k8s.io': { group: 16_700, versions: { v1: 15, v1beta1: 12, v1alpha1: 9 } },
  'scheduling.k8s.io': { group: 16_600, versions: { v1: 15, v1alpha2: 2 } },
  'coordination.k8s.io': { group: 16_500, versions: { v1: 15, v1beta1: 13, v1alpha2: 12 } },
  'node.k8s.io': { group: 16_300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'discovery.k8s.io': { group: 16_200, versions: { v1: 15, v1beta1: 12 } },
  'resource.k8s.io': { group: 16_200, versions: { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 } },
  'flowcontrol.apiserver.k8s.io': {
    group: 16_100,
    versions: { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12, v1alpha1: 9 },
  },
  'internal.apiserver.k8s.io': { group: 16_000, versions: { v1alpha1: 9 } },
  'storagemigration.k8s.io': { group: 15_800, versions: { v1beta1: 9 } },
});

export const customResourcePriority: Priority = { group: 1_000, version: 100 };

/** apiregistration.k8s.io has no APIService of its own and always comes first. */
export const apiRegistrationPriority: Priority = { group: 20_001, version: 1 };

export function builtinPriority(group: string, version: string): Priority | undefined {
  const entry = table[group];
  const versionPriority =
    entry !== undefined && Object.hasOwn(entry.versions, version) ? entry.versions[version] : undefined;
  return entry === undefined || versionPriority === undefined
    ? undefined
    : { group: entry.group, version: versionPriority };
}

import { canList, type Kind } from '../api/kinds.ts';

/** The groups of the navigation, in this order. */
export const groupTitles = ['Workloads', 'Config', 'Network', 'Storage', 'Access', 'Cluster', 'Custom'] as const;
export type GroupTitle = (typeof groupTitles)[number];

/** API groups of which all kinds are of one group of the navigation. */
const byApiGroup: Readonly<Record<string, GroupTitle>> = {
  apps: 'Workloads',
  batch: 'Workloads',
  autoscaling: 'Workloads',
  policy: 'Workloads',
  'scheduling.k8s.io': 'Config',
  'node.k8s.io': 'Config',
  'coordination.k8s.io': 'Config',
  'admissionregistration.k8s.io': 'Config',
  'networking.k8s.io': 'Network',
  'discovery.k8s.io': 'Network',
  'storage.k8s.io': 'Storage',
  'storagemigration.k8s.io': 'Storage',
  'rbac.authorization.k8s.io': 'Access',
  'certificates.k8s.io': 'Access',
  'authentication.k8s.io': 'Access',
  'authorization.k8s.io': 'Access',
  'apiextensions.k8s.io': 'Cluster',
  'apiregistration.k8s.io': 'Cluster',
  'flowcontrol.apiserver.k8s.io': 'Cluster',
  'internal.apiserver.k8s.io': 'Cluster',
  'resource.k8s.io': 'Cluster',
  'events.k8s.io': 'Cluster',
};

/** The kinds of the core group. */
const ofCore: Readonly<Record<string, GroupTitle>> = {
  pods: 'Workloads',
  podtemplates: 'Workloads',
  replicationcontrollers: 'Workloads',
  configmaps: 'Config',
  secrets: 'Config',
  limitranges: 'Config',
  resourcequotas: 'Config',
  services: 'Network',
  endpoints: 'Network',
  persistentvolumes: 'Storage',
  persistentvolumeclaims: 'Storage',
  serviceaccounts: 'Access',
};

export const groupOf = ({ group, resource }: Kind): GroupTitle =>
  group === '' ? (ofCore[resource] ?? 'Cluster') : (byApiGroup[group] ?? 'Custom');

/** The name of a kind in preferences: `deployments.apps`. */
export const nameOf = ({ group, resource }: Kind): string => (group === '' ? resource : `${resource}.${group}`);

/** Whether a kind is meant by what somebody types: a part of its names, or a short name. */
export const isMeant = ({ kind, resource, group, shortNames }: Kind, text: string): boolean =>
  kind.toLowerCase().includes(text) || resource.includes(text) || group.includes(text) || shortNames.includes(text);

/** Kinds that can be listed, by the groups of the navigation. Groups without kinds are left out. */
export const grouped = (kinds: readonly Kind[]): readonly (readonly [GroupTitle, readonly Kind[]])[] =>
  groupTitles
    .map((title) => [title, kinds.filter((kind) => canList(kind) && groupOf(kind) === title).sort(byName)] as const)
    .filter(([, members]) => members.length > 0);

const byName = (a: Kind, b: Kind): number => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.group < b.group ? -1 : 1);

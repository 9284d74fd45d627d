import { canList, type Kind } from '../api/kinds.ts';
import { mostJoined } from '../api/watch.ts';
import { nameOf } from '../shell/kind-groups.ts';

/** Renewed every few seconds, written with something else, or the same objects as those of another kind. */
const left: ReadonlySet<string> = new Set([
  ...['leases.coordination.k8s.io', 'endpoints', 'events.events.k8s.io', 'podtemplates', 'componentstatuses'],
  ...['ipaddresses.networking.k8s.io', 'leasecandidates.coordination.k8s.io'],
]);

/** Kinds of the cluster that are followed with all namespaces. */
const ofCluster: ReadonlySet<string> = new Set([
  ...['nodes', 'namespaces', 'persistentvolumes', 'storageclasses.storage.k8s.io'],
  ...['clusterroles.rbac.authorization.k8s.io', 'clusterrolebindings.rbac.authorization.k8s.io'],
  ...['customresourcedefinitions.apiextensions.k8s.io', 'apiservices.apiregistration.k8s.io'],
  ...['validatingwebhookconfigurations.admissionregistration.k8s.io'],
  ...['mutatingwebhookconfigurations.admissionregistration.k8s.io'],
]);

/** What a timeline is about. */
export interface Scope {
  /** Empty = all, and the most important kinds of the cluster. */
  readonly namespace: string;
  /** A kind that is followed whatever others are. */
  readonly kind?: Kind | undefined;
}

/** The kinds that a timeline follows, and those for which there is no room or that are written too often. */
export interface FollowedKinds {
  readonly followed: readonly Kind[];
  readonly others: readonly Kind[];
}

/** The kinds of a namespace that can be watched: those of Kubernetes first, then custom ones, as far as one connection goes. */
export function followedKinds(kinds: readonly Kind[], { namespace, kind: wanted }: Scope): FollowedKinds {
  const isWanted = (kind: Kind) => wanted !== undefined && nameOf(kind) === nameOf(wanted);
  const inScope = kinds.filter(
    (kind) =>
      canList(kind) &&
      kind.verbs.includes('watch') &&
      (isWanted(kind) || kind.namespaced || (namespace === '' && ofCluster.has(nameOf(kind)))),
  );
  const rankOf = (kind: Kind) => (isWanted(kind) ? 0 : isOfKubernetes(kind) ? 1 : 2);
  const chosen = inScope
    .filter((kind) => isWanted(kind) || !left.has(nameOf(kind)))
    .map((kind) => ({ kind, rank: rankOf(kind) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ kind }) => kind);
  const followed = chosen.slice(0, mostJoined);
  return { followed, others: inScope.filter((kind) => !followed.includes(kind)) };
}

const isOfKubernetes = ({ group }: Kind): boolean => !group.includes('.') || group.endsWith('.k8s.io');

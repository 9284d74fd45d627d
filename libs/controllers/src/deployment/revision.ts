import type { Deployment, ReplicaSet } from '@apichain/api/apps/v1';
import { maxReplicas, sizeOf } from './size.ts';
import { integer } from '@apichain/meta';
import { byCreation } from './template.ts';

/** The revision of a ReplicaSet or Deployment: how many templates there were before. */
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
/** The earlier revisions of a ReplicaSet that was rolled back to. */
const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';
/** The replicas of the Deployment when the ReplicaSet was last scaled. */
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
/** The same with the surge. */
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
/** Asks for a rollback, in the form that survived from extensions/v1beta1. */
export const rollbackToAnnotation = 'deprecated.deployment.rollback.to';

/** Annotations that belong to one of the two objects. */
const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackToAnnotation,
]);

type Annotations = Readonly<Record<string, string>>;

/** The longest history, in characters. */
const maxHistory = 2000;

/** A revision: an integer of 64 bits, which users may choose. Undefined if the text is none. */
export function parseRevision(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const revision = BigInt(text);
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

/** The revision of a ReplicaSet: 0 without one, undefined if it is not a number. */
export const revisionOf = ({ metadata }: ReplicaSet): bigint | undefined =>
  parseRevision(metadata.annotations?.[revisionAnnotation] ?? '0');

/** ReplicaSets without a number as revision count as those of the lowest. */
export function compareRevisions(a: ReplicaSet, b: ReplicaSet): number {
  const difference = (revisionOf(a) ?? 0n) - (revisionOf(b) ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const descendingRevisions = (sets: readonly ReplicaSet[]): bigint[] =>
  sets.toSorted((a, b) => compareRevisions(b, a)).map((set) => positive(revisionOf(set)));
const positive = (revision = 0n): bigint => (revision > 0n ? revision : 0n);

/** The highest revision. */
export const maxRevision = (sets: readonly ReplicaSet[]): bigint => descendingRevisions(sets)[0] ?? 0n;

/** The second highest revision, 0 if there is none: where a rollback without a revision leads. */
export const lastRevision = (sets: readonly ReplicaSet[]): bigint => descendingRevisions(sets)[1] ?? 0n;

/** The annotations of the ReplicaSet with the current template: those of the Deployment, the revision, and earlier ones after a rollback. */
export function currentAnnotations(deployment: Deployment, annotations: Annotations, revision: bigint): Annotations {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !notCopied.has(name));
  const copied: Record<string, string> = { ...annotations, ...Object.fromEntries(own) };
  const before = annotations[revisionAnnotation];
  const known = parseRevision(before ?? '0');
  if (known === undefined || known >= revision) return copied;
  copied[revisionAnnotation] = String(revision);
  if (before !== undefined) {
    const history = appendRevision(annotations[revisionHistoryAnnotation] ?? '', before);
    if (history !== undefined) copied[revisionHistoryAnnotation] = history;
  }
  return copied;
}

/** Adds a revision to a history, and drops the oldest ones if it becomes too long. */
function appendRevision(history: string, revision: string): string | undefined {
  const revisions = [...history.split(',').filter((earlier) => earlier !== ''), revision];
  let length = revisions.join(',').length;
  let dropped = 0;
  for (const earlier of revisions.slice(0, -1)) {
    if (length <= maxHistory) break;
    length -= earlier.length + 1;
    dropped++;
  }
  const appended = revisions.slice(dropped).join(',');
  return appended.length <= maxHistory ? appended : undefined;
}

/** The annotations of a Deployment after a rollback to a ReplicaSet. */
export function annotationsAfterRollback(deployment: Annotations, target: Annotations): Annotations {
  const kept = Object.entries(deployment).filter(([name]) => notCopied.has(name) && name !== rollbackToAnnotation);
  const restored = Object.entries(target).filter(([name]) => !notCopied.has(name));
  return Object.fromEntries([...kept, ...restored]);
}

/** The annotations that say for which size of the Deployment a ReplicaSet was scaled. */
export const sizeAnnotations = (deployment: Deployment): Annotations => ({
  [desiredReplicasAnnotation]: String(deployment.spec?.replicas ?? 1),
  [maxReplicasAnnotation]: String(maxReplicas(deployment)),
});

/** A number in an annotation of a ReplicaSet. */
export function annotatedNumber({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^[0-9]+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

/** The ReplicaSets with former templates that the history of a Deployment has too many: those with the lowest revisions and without pods. */
export function surplusSets(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit;
  if (limit === undefined || limit === 2 ** 31 - 1) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return alive
    .toSorted((a, b) => compareRevisions(a, b) || byCreation(a, b))
    .slice(0, Math.max(0, alive.length - limit))
    .filter((set) => (set.status?.replicas ?? 0) === 0 && sizeOf(set) === 0 && isObserved(set));
}

const isObserved = ({ metadata, status }: ReplicaSet): boolean =>
  integer(metadata.generation) <= integer(status?.observedGeneration);

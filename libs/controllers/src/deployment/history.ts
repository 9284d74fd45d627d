import type { Deployment, ReplicaSet } from '@apichain/api/apps/v1';
import { integer } from '@apichain/meta';
import { compareRevisions } from './revision.ts';
import { sizeOf } from './size.ts';
import { byCreation } from './template.ts';

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

import type { ControllerRevision, StatefulSet } from '@apichain/api/apps/v1';
import type { Pod } from '@apichain/api/core/v1';
import type { Int64 } from '@apichain/api/scalars';
import { type RestClient, controllerReference } from '@apichain/client';
import { type JsonValue, integer, isStatusError, semanticEqual } from '@apichain/meta';
import { controllerRevisions } from '../resources.ts';
import { byRevision, hasData, nextRevision, revisionData, revisionHash, templateOf } from '../workloads/revision.ts';
import { revisionOf, statefulSetKind } from './identity.ts';

const hashLabel = 'controller.kubernetes.io/hash';
const maxPrefix = 223;

/** The revisions that a StatefulSet has and is to have. */
export interface StatefulSetHistory {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/**
 * Finds or creates the revision of the present template, among those that a StatefulSet controls, and gives it the highest number.
 * Source: getStatefulSetRevisions in k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go.
 */
export async function ensureHistory(
  client: RestClient,
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
): Promise<StatefulSetHistory> {
  const sorted = revisions.toSorted(byRevision);
  const data = revisionData(set.spec?.template);
  const { update, collisionCount } = await ensureUpdate(client, set, sorted, data);
  const current = sorted.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

async function ensureUpdate(
  client: RestClient,
  set: StatefulSet,
  sorted: readonly ControllerRevision[],
  data: JsonValue,
): Promise<{ readonly update: ControllerRevision; readonly collisionCount: number }> {
  const collisionCount = set.status?.collisionCount ?? 0;
  const latest = sorted.at(-1);
  if (latest !== undefined && hasData(latest, data)) return { update: latest, collisionCount };
  const equal = sorted.findLast((revision) => hasData(revision, data));
  if (equal !== undefined) {
    const ref = { ...controllerRevisions, namespace: set.metadata.namespace ?? '' };
    const update = await client.update(ref, { ...equal, revision: nextRevision(sorted) });
    return { update, collisionCount };
  }
  // The same template in the words of another version of Kubernetes is no change.
  if (latest !== undefined && semanticEqual(templateOf(latest), set.spec?.template))
    return { update: latest, collisionCount };
  return createRevision(client, set, data, nextRevision(sorted), collisionCount);
}

async function createRevision(
  client: RestClient,
  set: StatefulSet,
  data: JsonValue,
  revision: Int64,
  firstCount: number,
): Promise<{ readonly update: ControllerRevision; readonly collisionCount: number }> {
  const { name: prefix = '', namespace = '', annotations } = set.metadata;
  const ref = { ...controllerRevisions, namespace };
  const labels = { ...set.spec?.template?.metadata?.labels, [hashLabel]: revisionHash(data, firstCount) };
  for (let collisionCount = firstCount; ; collisionCount++) {
    const name = `${prefix.slice(0, maxPrefix)}-${revisionHash(data, collisionCount)}`;
    try {
      const update = await client.create(ref, {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: {
          name,
          namespace,
          labels,
          ...(annotations && { annotations }),
          ownerReferences: [controllerReference(statefulSetKind, set)],
        },
        data,
        revision,
      });
      return { update, collisionCount };
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
      const existing = await client.get(ref, name);
      if (hasData(existing, data)) return { update: existing, collisionCount };
    }
  }
}

/** The revisions that the history has too many: the oldest ones that neither the StatefulSet nor a pod has. */
export function surplusRevisions(
  { spec }: StatefulSet,
  revisions: readonly ControllerRevision[],
  { current, update }: StatefulSetHistory,
  pods: readonly Pod[],
): ControllerRevision[] {
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]);
  const dead = revisions.toSorted(byRevision).filter(({ metadata }) => !live.has(metadata.name));
  const limit = integer(spec?.revisionHistoryLimit ?? 10);
  return limit < 0 ? [] : dead.slice(0, Math.max(0, dead.length - limit));
}

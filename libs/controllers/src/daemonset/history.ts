import type { ControllerRevision, DaemonSet } from '@apichain/api/apps/v1';
import type { Pod } from '@apichain/api/core/v1';
import type { Int64 } from '@apichain/api/scalars';
import { type RestClient, type ControllerKind, controllerReference } from '@apichain/client';
import { type JsonValue, isStatusError } from '@apichain/meta';
import { fnv32a, goJson, safeEncode } from '../workloads/hash.ts';
import { controllerRevisions, daemonSets, pods as podsOf } from '../resources.ts';
import { byRevision, hasData, nextRevision, revisionData, revisionLabel } from '../workloads/revision.ts';

/** The revision with the current template, and those with former ones. */
export interface DaemonHistory {
  readonly current: ControllerRevision;
  readonly old: readonly ControllerRevision[];
}

/** The kind of the owners of daemons. */
export const daemonSetKind: ControllerKind<DaemonSet> = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  resource: daemonSets,
};

/** The hash of the current template in the labels of pods. */
export const hashOf = ({ current }: DaemonHistory): string => current.metadata.labels?.[revisionLabel] ?? '';

/**
 * Finds or creates the revision with the current template of a DaemonSet, among those that it controls, and gives it the highest number.
 * Source: constructHistory in k8s.io/kubernetes/pkg/controller/daemon/update.go.
 */
export async function ensureHistory(
  client: RestClient,
  daemonSet: DaemonSet,
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
): Promise<DaemonHistory> {
  const ref = { ...controllerRevisions, namespace: daemonSet.metadata.namespace ?? '' };
  const data = revisionData(daemonSet.spec?.template);
  const isMatching = new Set(revisions.filter((revision) => hasData(revision, data)));
  const matching = [...isMatching].sort(byRevision);
  const old = revisions.filter((revision) => !isMatching.has(revision));
  const number = nextRevision(old);
  const current = matching.at(-1);
  if (current === undefined) return { current: await createRevision(client, daemonSet, data, number), old };
  for (const duplicate of matching.slice(0, -1)) await mergeDuplicate(client, duplicate, current, pods);
  if ((current.revision ?? 0) >= number) return { current, old };
  return { current: await client.update(ref, { ...current, revision: number }), old };
}

async function createRevision(
  client: RestClient,
  daemonSet: DaemonSet,
  data: JsonValue,
  revision: Int64,
): Promise<ControllerRevision> {
  const { name = '', namespace = '', annotations } = daemonSet.metadata;
  const { template } = daemonSet.spec ?? {};
  const hash = safeEncode(fnv32a(`${goJson(template)}${daemonSet.status?.collisionCount ?? ''}`));
  const ref = { ...controllerRevisions, namespace };
  const wanted: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...template?.metadata?.labels, [revisionLabel]: hash },
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(daemonSetKind, daemonSet)],
    },
    data,
    revision,
  };
  try {
    return await client.create(ref, wanted);
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    const existing = await client.get(ref, `${name}-${hash}`);
    if (hasData(existing, data)) return existing;
    // Another template has the same hash. The next attempt has another one.
    const live = await client.get({ ...daemonSets, namespace }, name);
    const collisionCount = live.status?.collisionCount;
    if (collisionCount === daemonSet.status?.collisionCount) {
      const status = { ...live.status, collisionCount: (collisionCount ?? 0) + 1 };
      await client.update({ ...daemonSets, namespace }, { ...live, status }, { subresource: 'status' });
    }
    throw error;
  }
}

/** Gives the pods of a duplicate the label of the revision that stays, and deletes the duplicate. */
async function mergeDuplicate(
  client: RestClient,
  duplicate: ControllerRevision,
  kept: ControllerRevision,
  pods: readonly Pod[],
): Promise<void> {
  const { namespace = '', name = '' } = duplicate.metadata;
  const label = kept.metadata.labels?.[revisionLabel];
  const former = duplicate.metadata.labels?.[revisionLabel];
  for (const { metadata } of pods) {
    if (metadata.labels?.[revisionLabel] !== former) continue;
    const patch = { metadata: { labels: { [revisionLabel]: label } } };
    await client.patch({ ...podsOf, namespace }, metadata.name ?? '', 'merge', patch);
  }
  await client.delete({ ...controllerRevisions, namespace }, name);
}

/** The revisions that the history has too many: the oldest ones that no pod has. */
export function surplusRevisions(
  { spec }: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): ControllerRevision[] {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const surplus = Math.max(0, old.length - (spec?.revisionHistoryLimit ?? 10));
  return old
    .toSorted(byRevision)
    .filter(({ metadata }) => !live.has(metadata.labels?.[revisionLabel]))
    .slice(0, surplus);
}

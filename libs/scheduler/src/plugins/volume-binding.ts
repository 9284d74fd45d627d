import type { CSIStorageCapacity } from '@apichain/api/storage/v1';
import { claimsOf, foreignClaim } from '@apichain/component-helpers';
import { deepEqual } from '@apichain/meta';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { amountOf } from '../cluster/resources.ts';
import { on } from '../framework/cluster-event.ts';
import type { Filter, Plugin, Reservation } from '../framework/plugin.ts';
import { type Rejection, unresolvable } from '../framework/status.ts';
import { notFound } from '../volumes/claims.ts';
import { type PodClaims, type VolumePlan, planVolumes, podClaims } from '../volumes/pod-volumes.ts';
import type { VolumeBinder } from '../volumes/volume-binder.ts';

const migratedPluginsAnnotation = 'storage.alpha.kubernetes.io/migrated-plugins';

/** Rejects nodes on which a claim of the pod has no volume and cannot get one; gives claims that wait for their consumer a volume on its node. */
export const volumeBinding = (binder: Pick<VolumeBinder, 'reserve'>): Plugin => ({
  name: 'VolumeBinding',
  events: [
    on(
      'StorageClass',
      ['Add', 'Update'],
      (_, { before, after }) => before === undefined || !deepEqual(before.allowedTopologies, after?.allowedTopologies),
    ),
    on('PersistentVolumeClaim', ['Add', 'Update'], usesClaim),
    on('PersistentVolume', ['Add', 'Update']),
    on('Node', ['Add', 'UpdateNodeLabel']),
    on('CSINode', ['Add', 'Update'], (_, { before, after }) => {
      if (before === undefined) return true;
      const migrated = (node: typeof before | undefined) => node?.metadata.annotations?.[migratedPluginsAnnotation];
      return migrated(before) !== migrated(after);
    }),
    on('CSIDriver', ['Update'], ({ pod }, { before, after }) => {
      const name = after?.metadata.name;
      const isUsed = (pod.spec?.volumes ?? []).some(({ csi }) => csi !== undefined && csi.driver === name);
      return isUsed && before?.spec?.storageCapacity === true && after?.spec?.storageCapacity !== true;
    }),
    on('CSIStorageCapacity', ['Add', 'Update'], (_, { before, after }) => {
      if (before === undefined || after === undefined) return true;
      const [was, is] = [limitOf(before), limitOf(after)];
      return is !== undefined && (was === undefined || is > was);
    }),
  ],
  preFilter(pod, cluster) {
    if (claimsOf(pod.pod).length === 0) return undefined;
    const reason = unusableClaim(pod, cluster);
    if (reason !== undefined) return unresolvable(reason);
    const claims = podClaims(pod, cluster.objects);
    if (claims.immediate.length > 0) return unresolvable('pod has unbound immediate PersistentVolumeClaims');
    return new VolumeFilter(pod, claims, cluster, binder);
  },
});

/** Whether the claim is one of the pod. */
export const usesClaim = (
  { pod, namespace }: PodInfo,
  { after }: { readonly after?: { readonly metadata: { readonly namespace?: string; readonly name?: string } } },
): boolean => after?.metadata.namespace === namespace && claimsOf(pod).some(({ name }) => name === after.metadata.name);

function limitOf({ maximumVolumeSize, capacity }: CSIStorageCapacity): number | undefined {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : amountOf('storage', limit);
}

/** Why the pod cannot be scheduled yet because of a claim. */
function unusableClaim({ pod, namespace }: PodInfo, { objects }: Cluster): string | undefined {
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const claim = objects.persistentVolumeClaims.get(`${namespace}/${name}`);
    if (claim === undefined)
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
        : notFound('persistentvolumeclaim', name);
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined;
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

class VolumeFilter implements Filter {
  readonly #pod: PodInfo;
  readonly #claims: PodClaims;
  readonly #cluster: Cluster;
  readonly #binder: Pick<VolumeBinder, 'reserve'>;
  readonly #plans = new Map<string, VolumePlan>();

  constructor(pod: PodInfo, claims: PodClaims, cluster: Cluster, binder: Pick<VolumeBinder, 'reserve'>) {
    this.#pod = pod;
    this.#claims = claims;
    this.#cluster = cluster;
    this.#binder = binder;
  }

  filter({ node, name }: NodeInfo): Rejection | undefined {
    const plan = planVolumes(this.#claims, node, this.#cluster.objects);
    if (!('bindings' in plan)) return unresolvable(...plan);
    this.#plans.set(name, plan);
    return undefined;
  }

  reserve(node: string): Reservation | undefined {
    const plan = this.#plans.get(node);
    if (plan === undefined || this.#claims.delayed.length === 0) return undefined;
    return this.#binder.reserve(this.#pod, node, plan);
  }
}

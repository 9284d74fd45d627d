import type { Pod, Volume } from '@apichain/api/core/v1';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { on } from '../framework/cluster-event.ts';
import type { Filter, Plugin } from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/status.ts';
import { notFound } from '../volumes/claims.ts';
import { usesClaim } from './volume-binding.ts';

/** Rejects nodes on which a disk of the pod is in use, and pods whose claim only one pod may use at a time. */
export const volumeRestrictions: Plugin = {
  name: 'VolumeRestrictions',
  events: [
    on('Pod', ['Delete'], (pod, { before }) => before !== undefined && sharesVolumes(pod, before)),
    on('Node', ['Add']),
    on('PersistentVolumeClaim', ['Add', 'Update'], usesClaim),
  ],
  preFilter(pod, cluster) {
    const exclusive = exclusiveClaims(pod, cluster);
    if ('code' in exclusive) return exclusive;
    const users = exclusive.filter((claim) => cluster.isClaimInUse(claim)).length;
    const hasDisks = (pod.pod.spec?.volumes ?? []).some(isDisk);
    return hasDisks || users > 0 ? new VolumeUseFilter(pod, exclusive, users) : undefined;
  },
};

class VolumeUseFilter implements Filter {
  readonly #pod: PodInfo;
  readonly #exclusive: readonly string[];
  /** How many of the exclusive claims are in use. */
  #users: number;

  constructor(pod: PodInfo, exclusive: readonly string[], users: number) {
    this.#pod = pod;
    this.#exclusive = exclusive;
    this.#users = users;
  }

  filter({ pods }: NodeInfo): Rejection | undefined {
    for (const volume of this.#pod.pod.spec?.volumes ?? [])
      if (isDisk(volume))
        for (const { pod } of pods.values())
          if (isInUse(volume, pod)) return unschedulable('node(s) had no available disk');
    if (this.#users <= 0) return undefined;
    return unschedulable(
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    );
  }

  update({ claims }: PodInfo, _: NodeInfo, delta: 1 | -1): void {
    for (const claim of claims) if (this.#exclusive.includes(claim)) this.#users += delta;
  }

  clone(): VolumeUseFilter {
    return new VolumeUseFilter(this.#pod, this.#exclusive, this.#users);
  }
}

/** The claims of the pod with the access mode ReadWriteOncePod. */
function exclusiveClaims({ claims }: PodInfo, { objects }: Cluster): readonly string[] | Rejection {
  const exclusive: string[] = [];
  for (const key of claims) {
    const claim = objects.persistentVolumeClaims.get(key);
    if (claim === undefined) return unresolvable(notFound('persistentvolumeclaim', key.slice(key.indexOf('/') + 1)));
    if (claim.spec?.accessModes?.includes('ReadWriteOncePod') === true) exclusive.push(key);
  }
  return exclusive;
}

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: Volume) =>
  gcePersistentDisk !== undefined || awsElasticBlockStore !== undefined || rbd !== undefined || iscsi !== undefined;

const isInUse = (volume: Volume, { spec }: Pod) => (spec?.volumes ?? []).some((other) => conflict(volume, other));

/** Whether two volumes are the same disk, which cannot be mounted twice. Some may, if both mounts are read-only. */
function conflict(a: Volume, b: Volume): boolean {
  const areReadOnly = (x: { readOnly?: boolean }, y: { readOnly?: boolean }) =>
    x.readOnly === true && y.readOnly === true;
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = a;
  const otherGce = b.gcePersistentDisk;
  if (gce !== undefined && otherGce !== undefined && gce.pdName === otherGce.pdName && !areReadOnly(gce, otherGce))
    return true;
  if (aws !== undefined && b.awsElasticBlockStore !== undefined && aws.volumeID === b.awsElasticBlockStore.volumeID)
    return true;
  if (iscsi !== undefined && b.iscsi !== undefined && iscsi.iqn === b.iscsi.iqn && !areReadOnly(iscsi, b.iscsi))
    return true;
  if (rbd === undefined || b.rbd === undefined || areReadOnly(rbd, b.rbd)) return false;
  const { monitors, pool, image } = b.rbd;
  const sharesMonitor = (rbd.monitors ?? []).some((monitor) => monitors?.includes(monitor) === true);
  return sharesMonitor && rbd.pool === pool && rbd.image === image;
}

function sharesVolumes(pod: PodInfo, deleted: Pod): boolean {
  if (deleted.metadata.namespace !== pod.namespace) return false;
  const claims = (deleted.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [`${pod.namespace}/${persistentVolumeClaim.claimName ?? ''}`],
  );
  return (
    claims.some((claim) => pod.claims.includes(claim)) ||
    (pod.pod.spec?.volumes ?? []).some((volume) => isDisk(volume) && isInUse(volume, deleted))
  );
}

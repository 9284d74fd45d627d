import type { PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { CSINode } from '@apichain/api/storage/v1';
import { claimsOf, foreignClaim, storageClassOf } from '@apichain/component-helpers';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterObjects } from '../cluster/cluster-objects.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { on } from '../framework/cluster-event.ts';
import type { Filter, Plugin } from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/status.ts';
import { notFound } from '../volumes/claims.ts';
import { usesClaim } from './volume-binding.ts';

/** Rejects nodes to which the driver cannot attach the volumes of the pod besides those that are attached. */
export const nodeVolumeLimits: Plugin = {
  name: 'NodeVolumeLimits',
  events: [
    on('CSINode', ['Add', 'Update'], (_, { before, after }) => {
      if (before === undefined || after === undefined) return true;
      const limits = limitsOf(before);
      return [...limitsOf(after)].some(([driver, limit]) => limit > (limits.get(driver) ?? 0));
    }),
    on('Pod', ['Delete'], (_, { before }) => {
      if (before === undefined) return false;
      const hadNode = (before.spec?.nodeName ?? '') !== '' || (before.status?.nominatedNodeName ?? '') !== '';
      return hadNode && claimsOf(before).length > 0;
    }),
    on('PersistentVolumeClaim', ['Add'], usesClaim),
    on('VolumeAttachment', ['Delete'], ({ claims }) => claims.length > 0),
  ],
  preFilter: (pod, cluster) => (claimsOf(pod.pod).length === 0 ? undefined : new VolumeLimitFilter(pod, cluster)),
};

class VolumeLimitFilter implements Filter {
  readonly #pod: PodInfo;
  readonly #cluster: Cluster;

  constructor(pod: PodInfo, cluster: Cluster) {
    this.#pod = pod;
    this.#cluster = cluster;
  }

  filter({ name, pods }: NodeInfo): Rejection | undefined {
    const { objects } = this.#cluster;
    const missing = missingClaim(this.#pod, objects);
    if (missing !== undefined) return unresolvable(missing);
    const wanted = volumesOf(this.#pod, objects);
    const csiNode = objects.csiNodes.get(name);
    const limits = csiNode === undefined ? new Map<string, number>() : limitsOf(csiNode);
    if (wanted.size === 0 || limits.size === 0) return undefined;
    const attached = new Map<string, string>();
    for (const pod of pods.values())
      for (const [volume, driver] of volumesOf(pod, objects)) attached.set(volume, driver);
    for (const [volume, driver] of attachedVolumes(name, objects)) attached.set(volume, driver);
    for (const [driver, limit] of limits) {
      const count = (volumes: ReadonlyMap<string, string>) =>
        [...volumes.values()].filter((of) => of === driver).length;
      const added = count(new Map([...wanted].filter(([volume]) => !attached.has(volume))));
      if (added > 0 && count(attached) + added > limit) return unschedulable('node(s) exceed max volume count');
    }
    return undefined;
  }
}

/** The largest number of volumes by driver. Drivers without a limit are absent. */
function limitsOf({ spec }: CSINode): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name = '', allocatable } of spec?.drivers ?? [])
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  return limits;
}

function missingClaim({ pod, namespace }: PodInfo, { persistentVolumeClaims }: ClusterObjects): string | undefined {
  const missing = claimsOf(pod).find(({ name }) => persistentVolumeClaims.get(`${namespace}/${name}`) === undefined);
  if (missing === undefined) return undefined;
  const { name } = missing;
  return `looking up PVC ${namespace}/${name}: ${notFound('persistentvolumeclaim', name)}`;
}

/** The volumes of CSI drivers that a pod uses, each with its driver. Throws Error for the claim of another pod. */
function volumesOf({ pod, namespace }: PodInfo, objects: ClusterObjects): ReadonlyMap<string, string> {
  const volumes = new Map<string, string>();
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const claim = objects.persistentVolumeClaims.get(`${namespace}/${name}`);
    if (claim === undefined) continue;
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined;
    if (foreign !== undefined) throw new Error(foreign);
    const volume = volumeOf(claim, objects);
    if (volume !== undefined) volumes.set(`${volume.driver}/${volume.handle}`, volume.driver);
  }
  return volumes;
}

/** The volume of a claim; for a claim without one, the volume that its class will make. */
function volumeOf(
  claim: PersistentVolumeClaim,
  { persistentVolumes, storageClasses }: ClusterObjects,
): { readonly driver: string; readonly handle: string } | undefined {
  const volume = persistentVolumes.get(claim.spec?.volumeName ?? '');
  if (volume !== undefined) {
    const { driver = '', volumeHandle: handle = '' } = volume.spec?.csi ?? {};
    return driver === '' || handle === '' ? undefined : { driver, handle };
  }
  const { provisioner: driver } = storageClasses.get(storageClassOf(claim)) ?? {};
  const { namespace = '', name = '' } = claim.metadata;
  return driver === undefined ? undefined : { driver, handle: `to be provisioned/${namespace}/${name}` };
}

function attachedVolumes(
  node: string,
  { volumeAttachments, persistentVolumes }: ClusterObjects,
): ReadonlyMap<string, string> {
  const volumes = new Map<string, string>();
  for (const { spec } of volumeAttachments.list()) {
    const { attacher = '', nodeName, source } = spec ?? {};
    if (nodeName !== node || attacher === '') continue;
    const { volumeHandle } = persistentVolumes.get(source?.persistentVolumeName ?? '')?.spec?.csi ?? {};
    if (volumeHandle !== undefined) volumes.set(`${attacher}/${volumeHandle}`, attacher);
  }
  return volumes;
}

import type { Node, PersistentVolume, Pod } from '@apichain/api/core/v1';
import type { CSIDriver, VolumeAttachment } from '@apichain/api/storage/v1';
import { type ResourceReference, byNodeName, objectKey } from '@apichain/client';
import { currentTime, isStatusError, semanticEqual } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { byClaim } from '../volumes/pod-claims.ts';
import { volumes as volumesOf, claims as claimsOf, nodes as nodesOf, pods as podsOf } from '../resources.ts';
import {
  attachmentName,
  isAttachable,
  isHeld,
  isManaged,
  isShareable,
  keepFor,
  multiAttachMessage,
  needsVolumes,
  newAttachment,
  uniqueName,
} from './attachment.ts';

const attachmentsOf: ResourceReference<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'volumeattachments',
};
const driversOf: ResourceReference<CSIDriver> = { group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers' };

const byNode = ({ spec }: VolumeAttachment): readonly string[] => [spec?.nodeName ?? ''];
const byVolume = ({ spec }: VolumeAttachment): readonly string[] => [spec?.source?.persistentVolumeName ?? ''];

/** A volume that pods on a node need, with the first of these pods. */
interface Need {
  readonly volume: PersistentVolume;
  readonly pod: Pod;
}

/**
 * Asks the drivers of CSI volumes, by VolumeAttachments, to attach the volumes that pods on a node need and to detach the others, and tells the node in its
 * status. Volumes of other kinds need no attachment.
 * Source: https://kubernetes.io/docs/concepts/architecture/nodes/#node-status and https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume-attachment-v1/
 */
export function attachDetach(context: ControllerContext): Running {
  const { client } = context;
  const { queue, enqueue, informer, run } = controllerParts(context, 'persistentvolume-attach-detach-controller');
  const recorder = newEventRecorder(context, 'attachdetach-controller');
  const nodes = informer(nodesOf);
  const pods = informer(podsOf);
  const claims = informer(claimsOf);
  const volumes = informer(volumesOf);
  const drivers = informer(driversOf);
  const attachments = informer(attachmentsOf);
  const podsOnNode = pods.index(byNodeName);
  const podsByClaim = pods.index(byClaim);
  const attachmentsOnNode = attachments.index(byNode);
  const attachmentsOfVolume = attachments.index(byVolume);
  /** Since when nobody needs an attachment, by its name. */
  const unneededSince = new Map<string, number>();
  /** The attachments to each node that wait for another node to give up the volume, and whose pods know it. */
  const conflicts = new Map<string, ReadonlySet<string>>();

  const enqueuePod = ({ spec }: Pod) => {
    const { nodeName = '', volumes: used = [] } = spec ?? {};
    const hasClaims = used.some(({ ephemeral, persistentVolumeClaim: claim }) => (ephemeral ?? claim) !== undefined);
    if (nodeName !== '' && hasClaims) queue.add(nodeName);
  };
  pods.addHandlers({
    onAdd: enqueuePod,
    onUpdate: (pod, old) => {
      if (needsVolumes(pod) !== needsVolumes(old) || pod.metadata.uid !== old.metadata.uid) enqueuePod(pod);
    },
    onDelete: enqueuePod,
  });
  claims.addHandlers({
    onUpdate: (claim, old) => {
      if (claim.status?.phase === 'Bound' && old.status?.phase !== 'Bound')
        podsByClaim.get(objectKey(claim)).forEach(enqueuePod);
    },
  });
  nodes.addHandlers({
    onAdd: enqueue,
    onUpdate: (node, old) => {
      const isSame =
        semanticEqual(node.status?.volumesInUse, old.status?.volumesInUse) &&
        semanticEqual(node.spec?.taints, old.spec?.taints) &&
        isManaged(node) === isManaged(old);
      if (!isSame) enqueue(node);
    },
    onDelete: enqueue,
  });
  const enqueueAttachment = ({ spec }: VolumeAttachment) => queue.add(spec?.nodeName ?? '');
  attachments.addHandlers({
    onAdd: enqueueAttachment,
    onUpdate: (attachment, old) => {
      report(attachment, old);
      enqueueAttachment(attachment);
    },
    onDelete: (attachment) => {
      unneededSince.delete(objectKey(attachment));
      enqueueAttachment(attachment);
      // Pods on other nodes may be waiting for the volume.
      for (const name of byVolume(attachment)) {
        const { namespace, name: claim } = volumes.get(name)?.spec?.claimRef ?? {};
        podsByClaim.get(`${namespace}/${claim}`).forEach(enqueuePod);
      }
    },
  });

  /** Tells the pods on the node what has become of an attachment. */
  function report(attachment: VolumeAttachment, old: VolumeAttachment): void {
    const name = attachment.spec?.source?.persistentVolumeName ?? '';
    const problem = attachment.status?.attachError?.message;
    const hasSucceeded = attachment.status?.attached === true && old.status?.attached !== true;
    const hasFailed = problem !== undefined && problem !== old.status?.attachError?.message;
    if (!hasSucceeded && !hasFailed) return;
    for (const need of needsOf(attachment.spec?.nodeName ?? '').values()) {
      if (need.volume.metadata.name !== name) continue;
      if (hasSucceeded) {
        const message = `AttachVolume.Attach succeeded for volume ${JSON.stringify(name)} `;
        recorder.event(need.pod, 'Normal', 'SuccessfulAttachVolume', message);
      } else {
        const message = `AttachVolume.Attach failed for volume ${JSON.stringify(name)} : ${problem}`;
        recorder.event(need.pod, 'Warning', 'FailedAttachVolume', message);
      }
    }
  }

  /** The volumes that a node needs, by the names of their attachments. */
  function needsOf(nodeName: string): Map<string, Need> {
    const needs = new Map<string, Need>();
    for (const pod of podsOnNode.get(nodeName).filter(needsVolumes))
      for (const key of byClaim(pod)) {
        const claim = claims.get(key);
        const volume = claim?.status?.phase === 'Bound' ? volumes.get(claim.spec?.volumeName ?? '') : undefined;
        if (volume === undefined || !isAttachable(volume, (name) => drivers.get(name))) continue;
        const name = attachmentName({ volume, nodeName });
        if (!needs.has(name)) needs.set(name, { volume, pod });
      }
    return needs;
  }

  async function reconcile(nodeName: string): Promise<void> {
    const node = nodes.get(nodeName);
    const needs = node !== undefined && isManaged(node) ? needsOf(nodeName) : new Map<string, Need>();
    const present = attachmentsOnNode.get(nodeName);
    const detachable = present.filter((attachment) => mayDetach(attachment, needs, node));
    await updateNode(node, present, detachable);
    for (const { metadata } of detachable) await detach(metadata.name ?? '');
    const conflicting = new Set<string>();
    for (const [name, need] of needs) {
      if (attachments.get(name) !== undefined) continue;
      if (!isTakenElsewhere(need, nodeName)) await attach(need, nodeName);
      else {
        conflicting.add(name);
        if (conflicts.get(nodeName)?.has(name) !== true) reportConflict(need, nodeName);
      }
    }
    if (conflicting.size === 0) conflicts.delete(nodeName);
    else conflicts.set(nodeName, conflicting);
  }

  function mayDetach(attachment: VolumeAttachment, needs: ReadonlyMap<string, Need>, node: Node | undefined): boolean {
    const name = objectKey(attachment);
    const nodeName = attachment.spec?.nodeName ?? '';
    const volume = volumes.get(attachment.spec?.source?.persistentVolumeName ?? '');
    // Attachments with another name are not made here.
    if (volume === undefined || attachmentName({ volume, nodeName }) !== name) return false;
    if (needs.has(name)) {
      unneededSince.delete(name);
      return false;
    }
    if (attachment.metadata.deletionTimestamp !== undefined) return false;
    const since = unneededSince.get(name) ?? currentTime();
    unneededSince.set(name, since);
    const remaining = keepFor(node, uniqueName(volume), since, currentTime());
    if (remaining > 0 && remaining < Infinity) queue.addAfter(nodeName, remaining);
    return remaining === 0;
  }

  /** Tells a node which volumes are attached to it, before any of the others is detached. */
  async function updateNode(
    node: Node | undefined,
    present: readonly VolumeAttachment[],
    detachable: readonly VolumeAttachment[],
  ): Promise<void> {
    if (node === undefined || !isManaged(node)) return;
    const leaving = new Set(detachable);
    const attached = present
      .filter((attachment) => isHeld(attachment) && !leaving.has(attachment))
      .flatMap(({ spec }) => volumes.get(spec?.source?.persistentVolumeName ?? '') ?? [])
      .map((volume) => ({ name: uniqueName(volume), devicePath: '' }));
    if (semanticEqual(attached, node.status?.volumesAttached ?? [])) return;
    const status = { volumesAttached: attached.length === 0 ? null : attached };
    await client.patch(nodesOf, node.metadata.name ?? '', 'merge', { status }, { subresource: 'status' });
  }

  function isTakenElsewhere({ volume }: Need, nodeName: string): boolean {
    const holders = attachmentsOfVolume.get(volume.metadata.name ?? '');
    return !isShareable(volume) && holders.some(({ spec }) => spec?.nodeName !== nodeName);
  }

  function reportConflict({ volume, pod }: Need, nodeName: string): void {
    const { namespace, name } = volume.spec?.claimRef ?? {};
    const users = podsByClaim
      .get(`${namespace}/${name}`)
      .filter((other) => needsVolumes(other) && other.spec?.nodeName !== nodeName);
    recorder.event(pod, 'Warning', 'FailedAttachVolume', multiAttachMessage(volume, users));
  }

  async function attach({ volume }: Need, nodeName: string): Promise<void> {
    try {
      await client.create(attachmentsOf, newAttachment({ volume, nodeName }));
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  }

  async function detach(name: string): Promise<void> {
    try {
      await client.delete(attachmentsOf, name);
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  return run(reconcile);
}

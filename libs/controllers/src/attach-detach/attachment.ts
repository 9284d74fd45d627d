import { createHash } from 'node:crypto';
import type { Node, PersistentVolume, Pod } from '@apichain/api/core/v1';
import type { CSIDriver, VolumeAttachment } from '@apichain/api/storage/v1';
import { findCondition } from '@apichain/meta';
import { hasEnded } from '../volumes/pod-claims.ts';

/** The annotation of nodes whose kubelets leave it to the controller to attach volumes. */
const managedByController = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** Whether the controller attaches volumes to a node. */
export const isManaged = ({ metadata }: Node): boolean => metadata.annotations?.[managedByController] === 'true';

/** Whether a pod needs its volumes: from when it is scheduled until its containers have ended. */
export function needsVolumes(pod: Pod): boolean {
  const { metadata, spec, status } = pod;
  if ((spec?.nodeName ?? '') === '' || hasEnded(pod)) return false;
  if (metadata.deletionTimestamp === undefined) return true;
  const statuses = status?.containerStatuses ?? [];
  return (
    statuses.length === 0 ||
    statuses.some(({ state }) => state?.terminated === undefined && state?.waiting === undefined)
  );
}

/** A volume on a node. */
interface Attachable {
  readonly volume: PersistentVolume;
  readonly nodeName: string;
}

/** Whether a volume has to be attached before it can be mounted. Only volumes of CSI drivers do, unless the driver says otherwise. */
export function isAttachable({ spec }: PersistentVolume, drivers: (name: string) => CSIDriver | undefined): boolean {
  const { driver } = spec?.csi ?? {};
  return driver !== undefined && drivers(driver)?.spec?.attachRequired !== false;
}

/** The name of the attachment of a volume to a node. */
export function attachmentName({ volume, nodeName }: Attachable): string {
  const { driver = '', volumeHandle = '' } = volume.spec?.csi ?? {};
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`;
}

/** The attachment of a volume to a node, which the driver carries out. */
export const newAttachment = (attachable: Attachable): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: attachmentName(attachable) },
  spec: {
    attacher: attachable.volume.spec?.csi?.driver ?? '',
    nodeName: attachable.nodeName,
    source: { persistentVolumeName: attachable.volume.metadata.name ?? '' },
  },
});

/** The name of a volume in the status of nodes. */
export function uniqueName({ spec }: PersistentVolume): string {
  const { driver = '', volumeHandle = '' } = spec?.csi ?? {};
  return `kubernetes.io/csi/${driver}^${volumeHandle}`;
}

/** Whether a volume may be attached to several nodes at a time. */
export const isShareable = ({ spec }: PersistentVolume): boolean => {
  const modes = spec?.accessModes ?? [];
  return modes.length === 0 || modes.includes('ReadWriteMany') || modes.includes('ReadOnlyMany');
};

/** What is said about a volume that is attached to another node, where some pods need it, or none any more. */
export function multiAttachMessage({ metadata }: PersistentVolume, users: readonly Pod[]): string {
  const names = users.map((pod) => pod.metadata.name).join(', ');
  const what =
    names === ''
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : `Volume is already used by pod(s) ${names}`;
  return `Multi-Attach error for volume ${JSON.stringify(metadata.name)} ${what}`;
}

/** Whether an attachment holds: the driver has attached the volume, or may have. */
export const isHeld = ({ metadata, status }: VolumeAttachment): boolean =>
  status?.attached === true && metadata.deletionTimestamp === undefined;

const drainMs = 6 * 60_000;

/**
 * For how long a volume must stay attached that no pod on a node needs: Infinity while the node has it mounted and is well, and at most six minutes if it is
 * not. `since` is when the volume was needed last.
 */
export function keepFor(node: Node | undefined, name: string, since: number, now: number): number {
  const isMounted = node?.status?.volumesInUse?.includes(name) === true;
  const isOut = node?.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') === true;
  if (node === undefined || !isMounted || isOut) return 0;
  const isReady = findCondition(node.status?.conditions, 'Ready')?.status === 'True';
  return isReady ? Infinity : Math.max(0, since + drainMs - now);
}

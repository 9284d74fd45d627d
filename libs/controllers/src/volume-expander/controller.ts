import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { objectKey } from '@apichain/client';
import { storageAnnotations } from '@apichain/component-helpers';
import { errorMessage, quantityFromJson, type Quantity } from '@apichain/meta';
import { newEventRecorder, type ControllerContext, type Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { volumes as volumesOf, claims as claimsOf } from '../resources.ts';
import { simulatedProvisioner } from '../volumes/provisioner.ts';
import { isSimulated } from '../volumes/simulated-provisioner.ts';

/**
 * Lets volumes grow when their claims request more: simulated ones here, and others by their drivers.
 * Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims
 */
export function volumeExpander(context: ControllerContext): Running {
  const { client } = context;
  const { queue, informer, run } = controllerParts(context, 'persistentvolume-expander-controller');
  const recorder = newEventRecorder(context, 'volume_expand');
  const resizerRecorder = newEventRecorder(context, simulatedProvisioner);
  const claims = informer(claimsOf);
  const enqueue = (claim: PersistentVolumeClaim) => {
    if (claim.status?.phase === 'Bound') queue.add(objectKey(claim));
  };
  claims.addHandlers({
    onAdd: enqueue,
    onUpdate: (claim, old) => {
      const wantsMore = requestOf(claim).compare(requestOf(old)) > 0;
      if (wantsMore || capacityOf(claim).compare(capacityOf(old)) > 0) enqueue(claim);
    },
  });

  async function reconcile(key: string): Promise<void> {
    const claim = claims.get(key);
    if (claim === undefined) return;
    const volume = await volumeOf(claim);
    const expansion = planExpansion(claim, volume);
    if (expansion === 'none') return;
    const message = 'waiting for an external controller to expand this PVC';
    recorder.event(claim, 'Normal', 'ExternalExpanding', message);
    if (expansion === 'simulated') await expand(claim, volume);
  }

  /** Lets a volume grow as the driver of a volume does, and the file system on it as a kubelet does. */
  async function expand(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const larger = grown(volume, claim);
    const { spec } = larger === volume ? volume : await client.update<PersistentVolume>(volumesOf, larger);
    const { namespace = '' } = claim.metadata;
    const status = expandedStatus(claim, spec?.capacity?.['storage'] ?? '0');
    const object = { ...claim, status };
    await client.update<PersistentVolumeClaim>({ ...claimsOf, namespace }, object, { subresource: 'status' });
    resizerRecorder.event(claim, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded');
  }

  async function volumeOf({ spec }: PersistentVolumeClaim): Promise<PersistentVolume> {
    const { volumeName = '' } = spec ?? {};
    try {
      return await client.get(volumesOf, volumeName);
    } catch (error) {
      throw new Error(`failed to get PV ${JSON.stringify(volumeName)}: ${errorMessage(error)}`);
    }
  }

  return run(reconcile);
}

/** What becomes of a claim whose volume may have to grow: nothing, the volume grows here, or a driver does it. */
type Expansion = 'none' | 'simulated' | 'external';

const storageOf = (amounts: Readonly<Record<string, string>> | undefined): Quantity =>
  quantityFromJson(amounts?.['storage'] ?? '0');

/** The storage that a claim requests. */
export const requestOf = ({ spec }: PersistentVolumeClaim): Quantity => storageOf(spec?.resources?.requests);

/** The storage that a claim has. */
export const capacityOf = ({ status }: PersistentVolumeClaim): Quantity => storageOf(status?.capacity);

/** Decides whether the volume of a claim has to grow, and by whom. Throws Error if the volume is not that of the claim. */
export function planExpansion(claim: PersistentVolumeClaim, volume: PersistentVolume): Expansion {
  const { namespace, name, uid } = claim.metadata;
  const { claimRef } = volume.spec ?? {};
  if (claimRef?.namespace !== namespace || claimRef?.uid !== uid)
    throw new Error(`persistent Volume is not bound to PVC being updated : ${namespace}/${name}`);
  const isResizing = volume.metadata.annotations?.[storageAnnotations.preResizeCapacity] !== undefined;
  if (requestOf(claim).compare(capacityOf(claim)) <= 0 && !isResizing) return 'none';
  return isSimulated(volume) ? 'simulated' : 'external';
}

/** A volume that is as large as its claim requests. The volume itself if it is at least so large. */
export function grown(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { spec = {} } = volume;
  const request = requestOf(claim);
  if (storageOf(spec.capacity).compare(request) >= 0) return volume;
  return { ...volume, spec: { ...spec, capacity: { ...spec.capacity, storage: request.toString() } } };
}

/** The conditions of a claim whose volume is about to grow. */
const resizeConditions: ReadonlySet<string | undefined> = new Set([
  'Resizing',
  'FileSystemResizePending',
  'ControllerResizeError',
  'NodeResizeError',
]);

/** The status of a claim whose volume has grown to a size. */
export function expandedStatus(
  { status = {} }: PersistentVolumeClaim,
  size: string,
): NonNullable<PersistentVolumeClaim['status']> {
  const { conditions = [], allocatedResourceStatuses: _, ...rest } = status;
  const left = conditions.filter(({ type }) => !resizeConditions.has(type));
  return {
    ...rest,
    capacity: { ...rest.capacity, storage: size },
    allocatedResources: { ...rest.allocatedResources, storage: size },
    ...(left.length > 0 && { conditions: left }),
  };
}

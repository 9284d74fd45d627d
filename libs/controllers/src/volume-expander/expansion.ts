import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { storageAnnotations } from '@apichain/component-helpers';
import { type Quantity, quantityFromJson } from '@apichain/meta';
import { isSimulated } from '../volumes/simulated-provisioner.ts';

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

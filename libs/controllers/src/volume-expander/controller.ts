import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { objectKey } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { volumes as volumesOf } from '../volumes/resources.ts';
import { simulatedProvisioner } from '../volumes/provisioner.ts';
import { claims as claimsOf } from '../workloads/resources.ts';
import { capacityOf, expandedStatus, grown, planExpansion, requestOf } from './expansion.ts';

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

import type { Pod, Volume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { objectKey, controllerReference } from '@apichain/client';
import { claimOf, foreignClaim } from '@apichain/component-helpers';
import { errorMessage } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { byClaim } from '../volumes/pod-claims.ts';
import { claims as claimsOf, pods as podsOf } from '../resources.ts';

/**
 * Makes the claims of ephemeral volumes: https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes. The garbage collector
 * deletes them with their pods.
 */
export function ephemeralVolumes(context: ControllerContext): Running {
  const { client } = context;
  const { queue, informer, run } = controllerParts(context, 'ephemeral-volume-controller');
  const recorder = newEventRecorder(context, 'ephemeral_volume');
  const pods = informer(podsOf);
  const claims = informer(claimsOf);
  const podsByClaim = pods.index(byClaim);
  const enqueue = (pod: Pod) => {
    if (pod.metadata.deletionTimestamp === undefined && hasEphemeralVolumes(pod)) queue.add(objectKey(pod));
  };
  pods.addHandlers({ onAdd: enqueue });
  claims.addHandlers({ onDelete: (claim) => podsByClaim.get(objectKey(claim)).forEach(enqueue) });

  async function reconcile(key: string): Promise<void> {
    const pod = pods.get(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    for (const volume of pod.spec?.volumes ?? []) {
      if (volume.ephemeral === undefined) continue;
      try {
        await ensureClaim(pod, volume);
      } catch (error) {
        const problem = `ephemeral volume ${volume.name}: ${errorMessage(error)}`;
        recorder.event(pod, 'Warning', 'FailedBinding', problem);
        throw new Error(`pod ${key}, ${problem}`);
      }
    }
  }

  async function ensureClaim(pod: Pod, volume: Volume): Promise<void> {
    const { namespace = '' } = pod.metadata;
    const { name = '' } = claimOf(pod, volume) ?? {};
    const known = claims.get(`${namespace}/${name}`);
    if (known !== undefined) {
      const problem = foreignClaim(pod, known);
      if (problem !== undefined) throw new Error(problem);
      return;
    }
    try {
      await client.create({ ...claimsOf, namespace }, claimFor(pod, volume));
    } catch (error) {
      throw new Error(`create PVC ${name}: ${errorMessage(error)}`);
    }
  }

  return run(reconcile);
}

/** Whether a pod has volumes whose claims live as long as the pod. */
export const hasEphemeralVolumes = ({ spec }: Pod): boolean =>
  spec?.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true;

/** The claim to make for an ephemeral volume of a pod. */
export function claimFor(pod: Pod, volume: Volume): PersistentVolumeClaim {
  const { metadata, spec = {} } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const { annotations, labels } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimOf(pod, volume)?.name ?? '',
      ownerReferences: [controllerReference({ apiVersion: 'v1', kind: 'Pod' }, pod)],
      ...(annotations !== undefined && { annotations }),
      ...(labels !== undefined && { labels }),
    },
    spec,
  };
}

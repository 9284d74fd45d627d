import type { Pod } from '@apichain/api/core/v1';
import type { RestClient } from '@apichain/client';
import { integer, isStatusError } from '@apichain/meta';
import { conditionPatch, disruptionTarget, patchPodStatus } from '../workloads/disruption-target.ts';
import { isPodTerminal } from '../workloads/pod-status.ts';
import { pods as podsOf } from '../workloads/resources.ts';

/**
 * Sets a pod to Failed, if it has not ended, and deletes it without a kubelet. This pod only: its name may have another one by now, because a StatefulSet makes
 * its pods anew as soon as they are gone.
 */
export async function removePod(client: RestClient, pod: Pod, isOrphaned: boolean): Promise<void> {
  const { namespace = '', name = '', uid, generation } = pod.metadata;
  try {
    if (!isPodTerminal(pod)) {
      const condition = disruptionTarget('DeletionByPodGC', 'PodGC: node no longer exists');
      const patch = isOrphaned ? conditionPatch(pod, condition) : undefined;
      await patchPodStatus(client, pod, {
        phase: 'Failed',
        observedGeneration: integer(generation),
        ...(patch !== undefined && { conditions: [patch] }),
      });
    }
    await client
      .delete({ ...podsOf, namespace }, name, { gracePeriodSeconds: 0, preconditions: { uid } })
      .catch(unlessReplaced);
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

function unlessReplaced(error: unknown): void {
  if (!isStatusError(error, 'Conflict')) throw error;
}

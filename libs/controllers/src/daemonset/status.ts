import type { DaemonSetStatus } from '@apichain/api/apps/v1';
import { integer } from '@apichain/meta';
import { isPodAvailable, isPodReady } from '../workloads/pod-status.ts';
import { withoutZeros } from '../workloads/without-zeros.ts';
import { byAge, isUpdated } from './daemon-pod.ts';
import type { Placement } from './placement.ts';

/**
 * The status of a DaemonSet. `isObserved` says whether its present generation was acted on.
 * Source: updateDaemonSetStatus in k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go.
 */
export function daemonSetStatus(
  { daemonSet, hash, nodes, podsByNode, now }: Placement,
  isObserved: boolean,
): DaemonSetStatus {
  const { metadata, spec, status = {} } = daemonSet;
  const eligible = nodes.filter(({ eligibility }) => eligibility.shouldRun);
  const scheduled = eligible.flatMap(({ name }) => podsByNode.get(name)?.toSorted(byAge).slice(0, 1) ?? []);
  const available = scheduled.filter((pod) => isPodAvailable(pod, spec?.minReadySeconds ?? 0, now)).length;
  const { collisionCount, conditions } = status;
  return {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: nodes.filter(
      ({ name, eligibility }) => !eligibility.shouldRun && (podsByNode.get(name)?.length ?? 0) > 0,
    ).length,
    desiredNumberScheduled: eligible.length,
    numberReady: scheduled.filter(isPodReady).length,
    ...withoutZeros({
      observedGeneration: integer(isObserved ? metadata.generation : status.observedGeneration),
      updatedNumberScheduled: scheduled.filter((pod) => isUpdated(daemonSet, pod, hash)).length,
      numberAvailable: available,
      numberUnavailable: eligible.length - available,
    }),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions && { conditions }),
  };
}

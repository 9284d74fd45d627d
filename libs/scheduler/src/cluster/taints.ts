import type { Taint, Toleration } from '@apichain/api/core/v1';

/** Whether a toleration tolerates a taint. https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
function tolerates({ key = '', operator = '', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

/** Whether one of the tolerations tolerates the taint. */
export const isTolerated = (taint: Taint, tolerations: readonly Toleration[] | undefined): boolean =>
  (tolerations ?? []).some((toleration) => tolerates(toleration, taint));

/** Whether there is a taint that keeps a pod with these tolerations from being scheduled to the node. */
export const isRepelled = (
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): boolean =>
  (taints ?? []).some(
    (taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isTolerated(taint, tolerations),
  );

import type { Taint, Toleration } from '@apichain/api/core/v1';

/** Whether a toleration is for a taint. https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
export function tolerates({ key = '', operator = '', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

/** Whether one of the tolerations is for the taint. */
export const isTolerated = (taint: Taint, tolerations: readonly Toleration[] | undefined): boolean =>
  (tolerations ?? []).some((toleration) => tolerates(toleration, taint));

/** The effects that keep a pod from a node. */
const repelling: readonly string[] = ['NoSchedule', 'NoExecute'];

/** Whether there is a taint with one of the effects that the tolerations do not tolerate. Default: those that keep a pod from being scheduled. */
export const isRepelled = (
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects = repelling,
): boolean => (taints ?? []).some((taint) => effects.includes(taint.effect ?? '') && !isTolerated(taint, tolerations));

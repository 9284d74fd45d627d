import type { Taint, Toleration } from '@apichain/api/core/v1';
import { tolerates } from '@apichain/component-helpers';
import { integer } from '@apichain/meta';

/** The taints that evict pods which run already. */
export const evictingTaints = (taints: readonly Taint[] | null | undefined): Taint[] =>
  (taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/** For how many milliseconds a pod may stay on a node with these taints: 0 if it does not tolerate one of them, Infinity if it tolerates all for ever. */
export function toleratedMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  if (used.includes(undefined)) return 0;
  const seconds = used.map((toleration) =>
    toleration?.tolerationSeconds === undefined ? Infinity : integer(toleration.tolerationSeconds),
  );
  return Math.max(0, Math.min(Infinity, ...seconds)) * 1_000;
}

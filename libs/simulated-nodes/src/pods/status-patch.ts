import type { Pod, PodStatus } from '@apichain/api/core/v1';
import { isKubeletOwned } from './conditions.ts';
import { type JsonObject, semanticEqual } from '@apichain/meta';

/** The strategic merge patch that reports a status as a kubelet does: only what differs. The conditions of others stay. */
export function statusPatch(pod: Pod, status: PodStatus): JsonObject {
  const { conditions, ...rest } = status;
  const old = pod.status ?? {};
  const changed = Object.entries(rest).filter(([name, value]) => !semanticEqual(old[name as keyof PodStatus], value));
  const patch: Record<string, unknown> = Object.fromEntries(changed);
  // These lists are merged by address, so the addresses of a node that has moved are removed.
  for (const name of ['hostIPs', 'podIPs'] as const) {
    const kept = new Set((status[name] ?? []).map(({ ip }) => ip));
    const gone = (old[name] ?? []).filter(({ ip }) => !kept.has(ip));
    if (name in patch && gone.length > 0)
      patch[name] = [...(status[name] ?? []), ...gone.map(({ ip }) => ({ ip, $patch: 'delete' }))];
  }
  const made = conditions ?? [];
  const own = new Set(made.map(({ type }) => type));
  const differing = made.filter(
    (condition) =>
      !semanticEqual(
        old.conditions?.find(({ type }) => type === condition.type),
        condition,
      ),
  );
  const unreported = (old.conditions ?? []).filter(({ type }) => !own.has(type));
  const removed = unreported.filter(({ type }) => isKubeletOwned(type));
  if (differing.length > 0 || removed.length > 0) {
    const others = unreported.filter(({ type }) => !isKubeletOwned(type));
    patch['$setElementOrder/conditions'] = [...others, ...made].map(({ type }) => ({ type }));
    patch['conditions'] = [
      ...differing.map((condition) => withoutGone(condition, old)),
      ...removed.map(({ type }) => ({ type, $patch: 'delete' })),
    ];
  }
  return patch as JsonObject;
}

type Condition = NonNullable<PodStatus['conditions']>[number];

/** A reason and a message that no longer hold are removed. */
function withoutGone(condition: Condition, { conditions }: PodStatus): object {
  const old = conditions?.find(({ type }) => type === condition.type);
  const gone = (['reason', 'message'] as const).filter(
    (field) => condition[field] === undefined && (old?.[field] ?? '') !== '',
  );
  return { ...condition, ...Object.fromEntries(gone.map((field) => [field, null])) };
}

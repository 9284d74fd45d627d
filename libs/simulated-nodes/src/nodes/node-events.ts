import type { Node, NodeStatus } from '@apichain/api/core/v1';
import { findCondition } from '@apichain/meta';
import type { PodEvent } from '../pods/events.ts';

/** The reason of the event that a kubelet records when a condition becomes what it reports, by the type of the condition. */
const reasons: Readonly<Record<string, string>> = {
  MemoryPressure: 'NodeHasSufficientMemory',
  DiskPressure: 'NodeHasNoDiskPressure',
  PIDPressure: 'NodeHasSufficientPID',
  Ready: 'NodeReady',
};

/** The events about the conditions that a report of a kubelet changes. After pkg/kubelet/nodestatus/setters.go. */
export function nodeEvents({ metadata: { name = '' }, status: old }: Node, { conditions }: NodeStatus): PodEvent[] {
  return (conditions ?? []).flatMap(({ type = '', status }): PodEvent[] => {
    const reason = reasons[type];
    if (reason === undefined || findCondition(old?.conditions, type)?.status === status) return [];
    return [{ type: 'Normal', reason, message: `Node ${name} status is now: ${reason}` }];
  });
}

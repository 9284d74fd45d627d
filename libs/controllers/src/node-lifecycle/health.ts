import type { Node, NodeCondition } from '@apichain/api/core/v1';
import { findCondition } from '@apichain/meta';
import type { ControllerSettings } from '../settings.ts';
import { milliseconds, timestamp } from '../timestamps.ts';

/** What is known about the signs of life of a node. */
export interface NodeHealth {
  /** When the last sign of life was seen, in milliseconds since 1970. */
  readonly seen: number;
  /** The heartbeat of the condition Ready. Undefined if the node has no such condition. */
  readonly heartbeat: string | undefined;
  /** When the lease was renewed. */
  readonly renewed: string | undefined;
}

const readyOf = ({ status }: Node): NodeCondition | undefined => findCondition(status?.conditions, 'Ready');

/** The status of the condition Ready. A node without one counts as unknown. */
export const readinessOf = (node: Node): string => readyOf(node)?.status ?? 'Unknown';

/** Whether the condition Ready is there, and not true. */
export const saysNotReady = (node: Node): boolean => !['True', undefined].includes(readyOf(node)?.status);

/** What is known after a look at a node and the time at which its lease was renewed. A change of either is a sign of life now. */
export function observe(
  before: NodeHealth | undefined,
  node: Node,
  renewed: string | undefined,
  now: number,
): NodeHealth {
  const ready = readyOf(node);
  const heartbeat = ready === undefined ? undefined : (ready.lastHeartbeatTime ?? '');
  const seen = seenAt(before, node, heartbeat, now);
  const known = before?.renewed;
  const isRenewed = renewed !== undefined && (known === undefined || known < renewed);
  return { seen: isRenewed ? now : seen, heartbeat, renewed: isRenewed ? renewed : known };
}

function seenAt(before: NodeHealth | undefined, node: Node, heartbeat: string | undefined, now: number): number {
  if (before === undefined)
    return heartbeat === undefined ? (milliseconds(node.metadata.creationTimestamp) ?? now) : now;
  return before.heartbeat === heartbeat ? before.seen : now;
}

/** When a node without further signs of life counts as dead. A node that has never reported its state gets more time. */
export const deadline = ({ seen, heartbeat }: NodeHealth, settings: ControllerSettings): number =>
  seen + settings[heartbeat === undefined ? 'node-startup-grace-period' : 'node-monitor-grace-period'];

const reported = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node whose kubelet reports nothing any more. Undefined if the node has them already. */
export function unknownConditions({ metadata, status }: Node, now: number): NodeCondition[] | undefined {
  const time = timestamp(now);
  const conditions = (status?.conditions ?? []).map((condition) =>
    condition.status !== 'Unknown' && reported.includes(condition.type ?? '')
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: time,
        }
      : condition,
  );
  const missing = reported.filter((type) => findCondition(conditions, type) === undefined);
  const before = findCondition(status?.conditions, 'Ready');
  if (before?.status === 'Unknown') return undefined;
  return [
    ...conditions,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      lastHeartbeatTime: metadata.creationTimestamp ?? null,
      lastTransitionTime: time,
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
    })),
  ];
}

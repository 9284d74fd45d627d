import type { PluginRejection, Rejection } from './status.ts';

/** Why a pod fits no node. */
export interface Diagnosis {
  readonly allNodes: number;
  /** By the name of the node. */
  readonly rejections: ReadonlyMap<string, PluginRejection>;
  /** The rejection of nodes that were not looked at. */
  readonly others: Rejection;
  /** Why the pod was rejected before nodes were looked at. */
  readonly preFilterMessage: string;
  /** The plugins that rejected the pod on some node. Only what concerns them makes the pod worth another attempt. */
  readonly plugins: ReadonlySet<string>;
}

/** The rejection of nodes about which nothing is said. */
export const unmentioned: Rejection = { code: 'UnschedulableAndUnresolvable', reasons: [] };

/** The message in the condition and the event of a pod that fits no node. `postFilterMessage` says what came of the search for pods to preempt. */
export function fitMessage(
  { allNodes, rejections, others, preFilterMessage }: Omit<Diagnosis, 'plugins'>,
  postFilterMessage = '',
): string {
  const parts = [`0/${allNodes} nodes are available:`];
  if (preFilterMessage !== '') parts.push(`${preFilterMessage}.`);
  else {
    const counts = new Map<string, number>();
    const count = (reason: string, nodes: number) => counts.set(reason, (counts.get(reason) ?? 0) + nodes);
    for (const { reasons } of rejections.values()) for (const reason of reasons) count(reason, 1);
    if (rejections.size < allNodes) for (const reason of others.reasons) count(reason, allNodes - rejections.size);
    const texts = [...counts].map(([reason, nodes]) => `${nodes} ${reason}`).sort();
    if (texts.length > 0) parts.push(`${texts.join(', ')}.`);
  }
  if (postFilterMessage !== '') parts.push(postFilterMessage);
  return parts.join(' ');
}

import type { Node, NodeCondition, Pod, Taint } from '@apichain/api/core/v1';
import type { EventRecorder, RestClient } from '@apichain/client';
import { deepClone, findCondition, isStatusError } from '@apichain/meta';
import { forEachLimited } from '../context.ts';
import { conditionPatch, patchPodStatus } from '../workloads/disruption-target.ts';
import { nodes } from '../resources.ts';

/** Pods are written this many at a time. */
const writesAtOnce = 16;

/** Replaces the taints of a node, unless it has changed since. */
export function writeTaints(client: RestClient, node: Node, taints: readonly Taint[]): Promise<Node> {
  const { name = '', resourceVersion } = node.metadata;
  const patch = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  return client.patch<Node>(nodes, name, 'merge', patch);
}

/** Replaces the conditions of a node, unless it has changed since. */
export function writeConditions(client: RestClient, node: Node, conditions: NodeCondition[]): Promise<Node> {
  const changed = deepClone(node);
  changed.status = { ...changed.status, conditions };
  return client.update<Node>(nodes, changed, { subresource: 'status' });
}

/** The labels that older clients read, by the labels that replace them. */
const olderLabels: Readonly<Record<string, string>> = {
  'kubernetes.io/os': 'beta.kubernetes.io/os',
  'kubernetes.io/arch': 'beta.kubernetes.io/arch',
};

/** Gives a node the older names of its labels. Returns undefined if it has them. */
export async function writeOlderLabels(client: RestClient, { metadata }: Node): Promise<Node | undefined> {
  const labels: Record<string, string> = {};
  for (const [key, older] of Object.entries(olderLabels)) {
    const value = metadata.labels?.[key];
    if (value !== undefined && metadata.labels?.[older] !== value) labels[older] = value;
  }
  if (Object.keys(labels).length === 0) return undefined;
  const patch = { metadata: { labels } };
  return client.patch<Node>(nodes, metadata.name ?? '', 'strategic', patch);
}

/** Shows that pods of a node that is not ready do not serve. */
export async function markPodsNotReady(client: RestClient, events: EventRecorder, pods: readonly Pod[]): Promise<void> {
  await forEachLimited(pods, writesAtOnce, async (pod) => {
    const ready = findCondition(pod.status?.conditions, 'Ready');
    if (ready === undefined || ready.status === 'False') return;
    const { reason, message } = ready;
    const condition = conditionPatch(pod, {
      type: 'Ready',
      status: 'False',
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    });
    if (condition === undefined) return;
    const { observedGeneration: _, ...patch } = condition;
    try {
      await patchPodStatus(client, pod, { conditions: [patch] });
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return;
      throw error;
    }
    events.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
  });
}

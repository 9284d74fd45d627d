import type { Lease } from '@apichain/api/coordination/v1';
import type { Node, Pod } from '@apichain/api/core/v1';
import { byNodeName, objectKey } from '@apichain/client';
import { type KubeObject, currentTime, isStatusError } from '@apichain/meta';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { PendingWrites } from '../workloads/pending-writes.ts';
import { nodes as nodesOf, pods as podsOf } from '../resources.ts';
import { type NodeHealth, deadline, observe, readinessOf, saysNotReady, unknownConditions } from './health.ts';
import { markPodsNotReady, writeConditions, writeOlderLabels, writeTaints } from './node-writer.ts';
import { hasOppositeTaint, withEvictionTaint, withScheduleTaints } from './taints.ts';
import { ZoneEvictions } from './zone-evictions.ts';
import { zoneOf } from './zones.ts';

const leasesResource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-node-lease',
} as const;

/** Keys of work: a node by its name, and with a prefix that no name of a node has. */
const zonesKey = '/zones';
const evictionKey = (zone: string) => `/evictions ${zone}`;
const podKey = (pod: Pod) => `/pod ${objectKey(pod)}`;

/**
 * Notices nodes that no longer report, shows it in their conditions, and sets the taints that keep pods away or evict them.
 * Source: https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller
 */
export function nodeLifecycle(context: ControllerContext): Running {
  const { client, settings } = context;
  const { queue, informer, run } = controllerParts(context, 'node-lifecycle-controller');
  const leases = informer<Lease>(leasesResource);
  const nodes = informer(nodesOf);
  const pods = informer(podsOf);
  const podsOnNode = pods.index(byNodeName);
  const events = newEventRecorder(context, 'node-controller');
  const writes = new PendingWrites();
  const health = new Map<string, NodeHealth>();
  /** Nodes that have been looked at. Until then nothing is known about them that would concern the pods they have. */
  const examined = new Set<string>();
  const evictions = new ZoneEvictions(settings);
  /** Nodes whose pods are still to be shown as not ready. */
  const podsToMark = new Set<string>();

  nodes.addHandlers({
    onAdd: (node) => {
      const { name = '' } = node.metadata;
      recordAbout(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
      observeNode(node);
      queue.add(name);
      queue.add(zonesKey);
    },
    onUpdate: (node, old) => {
      observeNode(node);
      queue.add(node.metadata.name ?? '');
      if (readinessOf(node) !== readinessOf(old) || zoneOf(node) !== zoneOf(old)) queue.add(zonesKey);
    },
    onDelete: (node) => {
      const { name = '' } = node.metadata;
      recordAbout(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
      health.delete(name);
      examined.delete(name);
      podsToMark.delete(name);
      evictions.leave(node);
      writes.forget(name);
      queue.add(zonesKey);
    },
  });
  const onLease = ({ metadata }: Lease) => {
    const node = nodes.get(metadata.name ?? '');
    if (node !== undefined) observeNode(node);
  };
  leases.addHandlers({ onAdd: onLease, onUpdate: onLease });
  const onAssigned = (pod: Pod) => {
    const node = nodes.get(pod.spec?.nodeName ?? '');
    if (node !== undefined && examined.has(node.metadata.name ?? '') && saysNotReady(node)) queue.add(podKey(pod));
  };
  pods.addHandlers({
    onAdd: onAssigned,
    onUpdate: (pod, old) => {
      if (pod.spec?.nodeName !== old.spec?.nodeName) onAssigned(pod);
    },
  });

  const noteWrite = (node: Node) => writes.wrote(node, nodes, node);

  function observeNode(node: Node): void {
    const { name = '' } = node.metadata;
    const renewed = leases.get(`kube-node-lease/${name}`)?.spec?.renewTime ?? undefined;
    health.set(name, observe(health.get(name), node, renewed, currentTime()));
  }

  function recordAbout({ metadata: { name = '', uid = '' } }: Node, reason: string, message: string): void {
    const about: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid } };
    events.event(about, 'Normal', reason, message);
  }

  async function reconcile(key: string): Promise<void> {
    if (key === zonesKey) return reconcileZones();
    if (key.startsWith('/evictions ')) return taintNext(key.slice('/evictions '.length));
    if (key.startsWith('/pod ')) return markPod(key.slice('/pod '.length));
    const node = nodes.get(key);
    if (node === undefined || !writes.areObserved(key)) return;
    try {
      await reconcileNode(key, node);
    } catch (error) {
      // The informer will show what somebody else has changed meanwhile.
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error;
      queue.addRateLimited(key);
    }
  }

  async function reconcileNode(name: string, shown: Node): Promise<void> {
    examined.add(name);
    let node = shown;
    const written = (next: Node | undefined) => {
      if (next === undefined) return;
      node = next;
      noteWrite(next);
    };
    const wasReady = readinessOf(node) === 'True';
    written(await markUnknown(name, node));
    const taints = withScheduleTaints(node, currentTime());
    if (taints !== undefined) written(await writeTaints(client, node, taints));
    written(await writeOlderLabels(client, node));
    const readiness = readinessOf(node);
    if (wasReady && readiness !== 'True') {
      recordAbout(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
      podsToMark.add(name);
      queue.add(zonesKey);
    }
    if (node.status?.conditions?.some(({ type }) => type === 'Ready') !== true) return;
    await reconcileEviction(node, readiness);
    if (!podsToMark.has(name)) return;
    if (readiness !== 'True') await markPodsNotReady(client, events, podsOnNode.get(name));
    podsToMark.delete(name);
  }

  /** Sets the conditions of a node without signs of life to Unknown. Otherwise looks again when there may be none. */
  async function markUnknown(name: string, node: Node): Promise<Node | undefined> {
    const known = health.get(name);
    if (known === undefined) return undefined;
    const now = currentTime();
    const end = deadline(known, settings);
    if (now <= end) {
      // Nothing happens then to a node whose lease has been renewed.
      queue.addAfter(name, end - now + 1, 'check');
      return undefined;
    }
    const conditions = unknownConditions(node, now);
    return conditions === undefined ? undefined : writeConditions(client, node, conditions);
  }

  /** Removes the taint that evicts pods, or replaces it by the opposite one, at once. A new one has to wait. */
  async function reconcileEviction(node: Node, readiness: string): Promise<void> {
    const now = currentTime();
    const taints = withEvictionTaint(node, readiness, now);
    if (readiness === 'True') evictions.leave(node);
    if (taints === undefined) return;
    if (readiness === 'True' || hasOppositeTaint(node, readiness)) {
      noteWrite(await writeTaints(client, node, taints));
      return;
    }
    evictions.wait(node, now);
    queue.add(evictionKey(zoneOf(node)));
  }

  async function taintNext(zone: string): Promise<void> {
    const now = currentTime();
    const { names, delayMs } = evictions.next(zone, now);
    if (delayMs < Infinity) queue.addAfter(evictionKey(zone), delayMs);
    for (const name of names) {
      const node = nodes.get(name);
      const readiness = node === undefined ? 'True' : readinessOf(node);
      if (node === undefined || readiness === 'True') continue;
      const live = await client.get<Node>(nodesOf, name);
      const taints = withEvictionTaint(live, readiness, now);
      if (taints !== undefined) noteWrite(await writeTaints(client, live, taints));
    }
  }

  async function reconcileZones(): Promise<void> {
    const all = nodes.list();
    const now = currentTime();
    const change = evictions.update(all, now);
    if (change === 'allDisrupted')
      for (const node of all) {
        evictions.leave(node);
        const taints = withEvictionTaint(node, 'True', now);
        if (taints !== undefined) noteWrite(await writeTaints(client, node, taints));
      }
    if (change === 'recovered')
      for (const node of all) {
        const { name = '' } = node.metadata;
        const known = health.get(name);
        if (known !== undefined) health.set(name, { ...known, seen: now });
        queue.add(name);
      }
    for (const zone of evictions.zones) queue.add(evictionKey(zone));
  }

  /** A pod that came to a node which is not ready. */
  async function markPod(key: string): Promise<void> {
    const pod = pods.get(key);
    const node = nodes.get(pod?.spec?.nodeName ?? '');
    if (pod === undefined || node === undefined || !saysNotReady(node)) return;
    await markPodsNotReady(client, events, [pod]);
  }

  return run(reconcile);
}

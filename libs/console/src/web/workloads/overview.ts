import type { Mood } from '../parts/parts.tsx';
import type { ShownEvent } from './event.ts';
import type { LiveObjects } from './live-objects.ts';
import type { Capacity, Node } from './node.ts';
import type { Pod } from './pod.ts';
import type { Workload, WorkloadResource } from './workload.ts';

/** What the user has chosen to see. */
interface Selection {
  /** Part of a name, a status or a reason. */
  readonly filter: string;
  /** The node whose pods are shown; empty = of all nodes. */
  readonly node: string;
  /** The workload whose pods are shown, as in `deployments/shop/web`; empty = of all. */
  readonly workload: string;
}

/** A node with its pods. */
export interface NodeRow {
  /** Empty for the pods that are not bound to a node. */
  readonly name: string;
  /** Undefined when the node does not exist, or may not be seen. */
  readonly node: Node | undefined;
  readonly pods: readonly Pod[];
  readonly used: Capacity;
}

/** An object that owns pods, with its revisions. */
export interface WorkloadRow {
  /** `deployments/shop/web`. */
  readonly id: string;
  readonly resource: WorkloadResource;
  readonly workload: Workload;
  /** The ReplicaSets of a Deployment, newest first. */
  readonly revisions: readonly Workload[];
}

/** What the page shows at one moment. */
interface Overview {
  readonly workloads: readonly WorkloadRow[];
  readonly nodes: readonly NodeRow[];
  /** Those of the chosen node and workload. */
  readonly pods: readonly Pod[];
  readonly events: readonly ShownEvent[];
  readonly allPods: readonly Pod[];
}

/** Computes what the page shows of the objects that are known. */
export function overviewOf(objects: LiveObjects, selection: Selection): Overview {
  const filter = selection.filter.trim().toLowerCase();
  const isFound = (...texts: readonly string[]) =>
    filter === '' || texts.some((text) => text.toLowerCase().includes(filter));
  const pods = inOrder(objects.pods.items);
  const rows = workloadRows(objects);
  const owners = ownersOf(rows, selection.workload);
  return {
    workloads: rows.filter(({ workload }) => isFound(workload.name, workload.kind, workload.rollout.text)),
    nodes: nodeRows(objects, pods).filter(({ name, node }) => isFound(name, node?.status ?? '')),
    pods: pods.filter(
      (pod) =>
        (selection.node === '' || pod.node === selection.node) &&
        (owners === undefined || owners.has(pod.controllerUid)) &&
        isFound(pod.name, pod.status, pod.node),
    ),
    events: objects.events.newest.filter(({ about, reason, message }) =>
      isFound(about.name, about.kind, reason, message),
    ),
    allPods: pods,
  };
}

/** By namespace and name. Objects arrive nearly in this order. */
function inOrder<Item>(items: ReadonlyMap<string, Item>): readonly Item[] {
  const keys = [...items.keys()].sort();
  return keys.flatMap((key) => items.get(key) ?? []);
}

function nodeRows({ nodes }: LiveObjects, pods: readonly Pod[]): readonly NodeRow[] {
  const byNode = new Map<string, Pod[]>();
  for (const { name } of nodes.items.values()) byNode.set(name, []);
  for (const pod of pods) {
    const others = byNode.get(pod.node);
    if (others === undefined) byNode.set(pod.node, [pod]);
    else others.push(pod);
  }
  // Pods that wait for a node stand first, as their node has no name: somebody may have to do something.
  return [...byNode]
    .map(([name, ofNode]): NodeRow => ({
      ...{ name, node: nodes.items.get(`/${name}`), pods: ofNode, used: usedBy(ofNode) },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function usedBy(pods: readonly Pod[]): Capacity {
  let [cpu, memory, number] = [0, 0, 0];
  for (const pod of pods) {
    cpu += pod.cpu;
    memory += pod.memory;
    if (!pod.hasEnded) number++;
  }
  return { cpu, memory, pods: number };
}

const order = ['deployments', 'statefulsets', 'daemonsets', 'jobs', 'replicasets'] as const;

function workloadRows({ workloads }: LiveObjects): readonly WorkloadRow[] {
  const { deployments, replicasets } = workloads;
  const revisions = new Map<string, Workload[]>();
  for (const { uid } of deployments.collection.items.values()) revisions.set(uid, []);
  for (const replicaSet of inOrder(replicasets.collection.items))
    revisions.get(replicaSet.controllerUid)?.push(replicaSet);
  const newestFirst = (a: Workload, b: Workload) => Number(b.revision) - Number(a.revision);
  return order.flatMap((resource) =>
    inOrder(workloads[resource].collection.items)
      .filter(({ controllerUid }) => resource !== 'replicasets' || !revisions.has(controllerUid))
      .map((workload) => ({
        ...{ id: `${resource}/${workload.namespace}/${workload.name}`, resource, workload },
        revisions: resource === 'deployments' ? (revisions.get(workload.uid)?.sort(newestFirst) ?? []) : [],
      })),
  );
}

/** The uids of the controllers of the pods of a workload; undefined = of any. */
function ownersOf(rows: readonly WorkloadRow[], id: string): ReadonlySet<string> | undefined {
  if (id === '') return undefined;
  const row = rows.find((known) => known.id === id);
  return new Set(row === undefined ? [] : [row.workload.uid, ...row.revisions.map(({ uid }) => uid)]);
}

/** `9 ready, 1 pending`: how many pods are how, in words. */
export function podsText(pods: readonly Pod[]): string {
  const numbers = countMoods(pods);
  const said = (Object.keys(moodWords) as Mood[]).filter((mood) => numbers[mood] > 0);
  return said.length === 0 ? 'none' : said.map((mood) => `${numbers[mood]} ${moodWords[mood]}`).join(', ');
}

/** What the colours of pods mean. */
const moodWords = {
  good: 'ready',
  warn: 'not ready',
  bad: 'failing',
  plain: 'completed',
} as const satisfies Record<Mood, string>;

function countMoods(pods: readonly Pod[]): Readonly<Record<Mood, number>> {
  const numbers = { good: 0, warn: 0, bad: 0, plain: 0 };
  for (const { mood } of pods) numbers[mood]++;
  return numbers;
}

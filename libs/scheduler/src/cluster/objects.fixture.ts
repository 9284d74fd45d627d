import type { Node, NodeSpec, Pod, PodSpec, PodStatus } from '@apichain/api/core/v1';
import { Cluster } from './cluster.ts';
import { PodInfo } from './pod-info.ts';

type Text = Readonly<Record<string, string>>;

/** What tests say about a node. */
export interface TestNode {
  readonly labels?: Text;
  readonly allocatable?: Text;
  readonly images?: Readonly<Record<string, number>>;
  readonly declaredFeatures?: string[];
  readonly spec?: NodeSpec;
}

/** A node with 4 CPUs, 8 GiB and room for 110 pods, unless it is said otherwise. */
export const testNode = (name: string, node: TestNode = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...node.labels } },
  spec: node.spec ?? {},
  status: {
    allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...node.allocatable },
    images: Object.entries(node.images ?? {}).map(([image, sizeBytes]) => ({ names: [image], sizeBytes })),
    declaredFeatures: node.declaredFeatures ?? [],
  },
});

/** What tests say about a pod. `requests` are those of its only container. */
export interface TestPod {
  readonly labels?: Text;
  readonly requests?: Text;
  readonly namespace?: string;
  readonly deletionTimestamp?: string;
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

/** A pod of the default scheduler. Its UID is its name. */
export const testPod = (name: string, pod: TestPod = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: pod.namespace ?? 'default',
    uid: name,
    generation: 1,
    labels: { ...pod.labels },
    ...(pod.deletionTimestamp === undefined ? {} : { deletionTimestamp: pod.deletionTimestamp }),
    ...(pod.owner === undefined ? {} : { ownerReferences: [{ ...pod.owner, uid: 'owner', controller: true }] }),
  },
  spec: {
    schedulerName: 'default-scheduler',
    containers: [{ name: 'main', image: 'example.com/main:1', resources: { requests: { ...pod.requests } } }],
    ...pod.spec,
  },
  ...(pod.status === undefined ? {} : { status: pod.status }),
});

export const testPodInfo = (name: string, pod?: TestPod): PodInfo => new PodInfo(testPod(name, pod));

/** A cluster with nodes, and with pods by the name of their node. */
export function testCluster(
  nodes: Readonly<Record<string, TestNode>>,
  pods: Readonly<Record<string, Readonly<Record<string, TestPod>>>> = {},
): Cluster {
  const cluster = new Cluster();
  for (const [name, node] of Object.entries(nodes)) cluster.setNode(testNode(name, node));
  for (const [nodeName, placed] of Object.entries(pods))
    for (const [name, pod] of Object.entries(placed))
      cluster.setPod(testPod(name, { ...pod, spec: { ...pod.spec, nodeName } }));
  return cluster;
}

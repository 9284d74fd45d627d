import type { Node } from '@apichain/api/core/v1';
import type { HostPort } from './host-ports.ts';
import type { PodInfo } from './pod-info.ts';
import { type Resources, addResources, amountsOf, noResources, resourcesOf } from './resources.ts';

const noNode: Node = { apiVersion: 'v1', kind: 'Node', metadata: {} };

/** A node with its pods and what they take of it. Updated pod by pod, so that a scheduling attempt adds nothing up. */
export class NodeInfo {
  #node: Node | undefined;
  #allocatable: Resources = noResources();
  #allowedPods = 0;
  readonly pods = new Map<string, PodInfo>();
  readonly requested = noResources();
  /** Requested CPU and memory, where containers that request none count with a minimum. */
  readonly nonZeroRequested = { milliCPU: 0, memory: 0 };
  readonly usedPorts: HostPort[] = [];

  constructor(node?: Node) {
    if (node !== undefined) this.setNode(node);
  }

  /** Whether the node exists. Pods may be known before their node, and outlive it. */
  get exists(): boolean {
    return this.#node !== undefined;
  }
  get node(): Node {
    return this.#node ?? noNode;
  }
  get name(): string {
    return this.node.metadata.name ?? '';
  }
  get labels(): Readonly<Record<string, string>> {
    return this.node.metadata.labels ?? {};
  }
  get allocatable(): Resources {
    return this.#allocatable;
  }
  get allowedPods(): number {
    return this.#allowedPods;
  }

  setNode(node: Node): void {
    this.#node = node;
    const amounts = amountsOf(node.status?.allocatable);
    this.#allocatable = resourcesOf(amounts);
    this.#allowedPods = amounts.get('pods') ?? 0;
  }
  removeNode(): void {
    this.#node = undefined;
  }

  addPod(pod: PodInfo): void {
    this.pods.set(pod.uid, pod);
    this.#count(pod, 1);
    this.usedPorts.push(...pod.hostPorts);
  }

  /** Removes the pod with this UID, as it was added. */
  removePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod === undefined) return;
    this.pods.delete(uid);
    this.#count(pod, -1);
    for (const port of pod.hostPorts) {
      const at = this.usedPorts.findIndex((used) => used.ip === port.ip && used.port === port.port);
      if (at !== -1) this.usedPorts.splice(at, 1);
    }
  }

  /** A copy for simulations. */
  clone(): NodeInfo {
    const copy = new NodeInfo();
    copy.#node = this.#node;
    copy.#allocatable = this.#allocatable;
    copy.#allowedPods = this.#allowedPods;
    for (const pod of this.pods.values()) copy.addPod(pod);
    return copy;
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    addResources(this.requested, pod.occupied, sign);
    this.nonZeroRequested.milliCPU += sign * pod.nonZero.milliCPU;
    this.nonZeroRequested.memory += sign * pod.nonZero.memory;
  }
}

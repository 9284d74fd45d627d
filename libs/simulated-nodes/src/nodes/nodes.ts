import type { Node, Pod } from '@apichain/api/core/v1';
import { type IndexFunction, type Informer, objectKey, type RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import type { OnceLogger } from '../log.ts';
import { Moments } from '../pods/moments.ts';
import type { Actors } from '../stages/actors.ts';
import { Kubelet } from './kubelet.ts';
import type { LeaseHolder } from './leases.ts';
import { simulatedLabel } from './node-spec.ts';
import type { NodeFacts } from './node-status.ts';

/** What the nodes are found by. */
interface NodesParts {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  /** The client of a node's own user. */
  readonly clientOf: (node: string) => RestClient;
  readonly log: OnceLogger;
  readonly signal: AbortSignal;
  /** See `KubeletParts`. */
  readonly skipsOutdated: boolean;
}

/** The node of a pod. */
export const byNodeName: IndexFunction<Pod> = ({ spec }) =>
  spec?.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName];

const isSimulated = ({ metadata }: KubeObject): boolean => metadata.labels?.[simulatedLabel] === 'true';

/** The simulated nodes: those Nodes that have the label. */
export class Nodes {
  readonly #parts: NodesParts;
  readonly #moments = new Moments();
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #podsOf;
  /** Undefined before the start: a shared informer may have nodes before their kubelets know what to report. */
  #facts: NodeFacts | undefined;
  /** Called for each node when its kubelet begins to run. */
  onUp: (name: string) => void = () => undefined;
  /** Called when a pod or node is to be looked at again although it has not changed. */
  onChange: (key: string, kind: 'pod' | 'node') => void = () => undefined;

  constructor(parts: NodesParts) {
    this.#parts = parts;
    const take = (node: Node) => this.#take(node);
    parts.nodes.addHandlers({ onAdd: take, onUpdate: take, onDelete: ({ metadata }) => this.#remove(metadata.name) });
    const follow = (pod: Pod) => this.#kubelets.get(pod.spec?.nodeName ?? '')?.follow(pod);
    parts.pods.addHandlers({
      onAdd: follow,
      onUpdate: follow,
      onDelete: (pod) => this.#kubelets.get(pod.spec?.nodeName ?? '')?.removed(pod),
    });
    this.#podsOf = parts.pods.index(byNodeName);
  }

  start(facts: NodeFacts): void {
    this.#facts = facts;
    this.#parts.nodes.start();
    this.#parts.pods.start();
    // A shared informer may have nodes already.
    for (const node of this.#parts.nodes.list()) this.#take(node);
    for (const pod of this.#parts.pods.list()) this.onChange(objectKey(pod), 'pod');
  }

  async synced(): Promise<void> {
    await Promise.all([this.#parts.nodes.waitForSync(), this.#parts.pods.waitForSync()]);
  }

  get facts(): NodeFacts {
    if (this.#facts === undefined) throw new Error('the simulation has not started');
    return this.#facts;
  }

  get(name: string): Kubelet | undefined {
    return this.#kubelets.get(name);
  }

  clientOf(name: string): RestClient {
    return this.#parts.clientOf(name);
  }

  pod(key: string): Pod | undefined {
    return this.#parts.pods.get(key);
  }

  /** A container has exited because a user of it said so. */
  exited(pod: Pod, containerID: string, exitCode: number): void {
    this.#kubelets.get(pod.spec?.nodeName ?? '')?.exited(containerID, exitCode);
    this.onChange(objectKey(pod), 'pod');
  }

  /** The names of all simulated nodes. */
  names(): string[] {
    return [...this.#kubelets.keys()];
  }

  podsOf(name: string): Pod[] {
    return this.#podsOf.get(name);
  }

  /** Calls `listener` with each change of a pod, and after its deletion. */
  onPodChange(listener: (pod: Pod) => void): void {
    this.#parts.pods.addHandlers({ onAdd: listener, onUpdate: listener, onDelete: listener });
  }

  leaseHolder(name: string): LeaseHolder | undefined {
    const kubelet = this.#kubelets.get(name);
    if (kubelet === undefined || kubelet.isDown) return undefined;
    return { name, uid: kubelet.node.metadata.uid ?? '', client: kubelet.client };
  }

  podActors(as: Actors['as']): Actors {
    return {
      of: (pod) => this.#running((pod as Pod).spec?.nodeName)?.forPod,
      as,
      forget: ({ metadata: { uid = '' } }) => this.#moments.forget(uid),
    };
  }

  nodeActors(as: Actors['as']): Actors {
    return { of: ({ metadata }) => this.#running(metadata.name)?.forNode, as };
  }

  control(name: string): { down(): void; up(): void } {
    const kubelet = this.#kubelets.get(name);
    if (kubelet === undefined) throw new Error(`node ${name} is not simulated`);
    return {
      down: () => {
        kubelet.isStopped = true;
      },
      up: () => {
        if (!kubelet.isStopped) return;
        kubelet.isStopped = false;
        if (!kubelet.isDown) this.#begin(name);
      },
    };
  }

  #running(name = ''): Kubelet | undefined {
    const kubelet = this.#kubelets.get(name);
    return kubelet?.isDown === true ? undefined : kubelet;
  }

  #take(node: Node): void {
    if (this.#facts === undefined) return;
    const { name = '' } = node.metadata;
    const known = this.#kubelets.get(name);
    if (!isSimulated(node)) return this.#remove(name);
    if (known !== undefined) {
      const wasDown = known.isDown;
      known.update(node);
      if (wasDown && !known.isDown) this.#begin(name);
      return;
    }
    const { log, signal, clientOf, skipsOutdated } = this.#parts;
    const onPreempt = (pod: Pod) => this.onChange(objectKey(pod), 'pod');
    const parts = { facts: this.#facts, moments: this.#moments, log, signal, clientOf, skipsOutdated, onPreempt };
    const kubelet = new Kubelet(node, parts);
    this.#kubelets.set(name, kubelet);
    this.#begin(name);
  }

  #begin(name: string): void {
    this.onUp(name);
    this.onChange(name, 'node');
    for (const pod of this.#podsOf.get(name)) {
      this.#kubelets.get(name)?.follow(pod);
      this.onChange(objectKey(pod), 'pod');
    }
  }

  #remove(name = ''): void {
    this.#kubelets.delete(name);
  }
}

import type { Node } from '@apichain/api/core/v1';
import { type ResourceReference, runUntilAborted, WorkQueue } from '@apichain/client';
import { currentTime, isStatusError } from '@apichain/meta';
import { errorText, type Logger } from '../log.ts';
import { nodeObject, type NodeSpec, numberedNodes, simulatedLabel } from './node-spec.ts';
import { nodeStatus } from './node-status.ts';
import type { Nodes } from './nodes.ts';

const nodesRef: ResourceReference<Node> = { group: '', version: 'v1', resource: 'nodes' };

/** Registers the nodes, each as its own user, as kubelets do when they start. */
export class NodeRegistration {
  readonly #nodes: Nodes;
  readonly #log: Logger;
  readonly #queue = new WorkQueue({ baseDelayMs: 200, maxDelayMs: 7_000 });
  readonly #waiting = new Map<string, Node>();
  readonly #done = Promise.withResolvers<void>();

  /** A node that is impossible is left out, with a line in the log. */
  constructor(nodes: Nodes, wanted: number | readonly NodeSpec[], log: Logger) {
    this.#nodes = nodes;
    this.#log = log;
    for (const [index, spec] of (typeof wanted === 'number' ? numberedNodes(wanted) : wanted).entries()) {
      try {
        this.#waiting.set(spec.name, nodeObject(spec, index));
      } catch (error) {
        log.error(`nodes[${index}] ${spec.name}: ${errorText(error)}`);
      }
    }
    for (const name of this.#waiting.keys()) this.#queue.add(name);
    if (this.#waiting.size === 0) this.#done.resolve();
  }

  /** Resolves when all nodes are registered, or the registration has been stopped. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  async run(signal: AbortSignal, workers: number): Promise<void> {
    await runUntilAborted(signal, {
      queue: this.#queue,
      workers,
      reconcile: (name) => this.#register(name),
      onError: (node, error) =>
        this.#log.error('node not registered, will be tried again', { node, error: errorText(error) }),
    });
    this.#done.resolve();
  }

  async #register(name: string): Promise<void> {
    const node = this.#waiting.get(name);
    if (node === undefined) return;
    const client = this.#nodes.clientOf(name);
    try {
      await client.create(nodesRef, { ...node, status: nodeStatus(node, this.#nodes.facts, currentTime()) });
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
      const existing = await client.get(nodesRef, name);
      if (existing.metadata.labels?.[simulatedLabel] !== 'true')
        this.#log.error(`node ${name} exists and is not a simulated one: it is left alone`);
    }
    this.#waiting.delete(name);
    if (this.#waiting.size === 0) this.#done.resolve();
  }
}

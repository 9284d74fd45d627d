import type { EventRecorder, RestClient } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import type { PodInfo } from './cluster/pod-info.ts';
import type { Reservation } from './framework/plugin.ts';
import { patchStatus } from './pod-status.ts';
import { requestsOf, type TaskQueue } from './task-queue.ts';

/** A pod for which a node was chosen. */
interface ChosenNode {
  readonly pod: PodInfo;
  readonly node: string;
  /** What is claimed for it. */
  readonly reservations: readonly Reservation[];
}

/** What bindings need. */
interface BindingsOptions {
  readonly client: RestClient;
  readonly recorder: EventRecorder;
  readonly tasks: TaskQueue;
  /** Called when a pod could not be bound, with what happened and the error. What was claimed for it has been given up. */
  readonly onFailure: (pod: PodInfo, message: string, cause: unknown) => void;
}

/** Binds pods to their nodes, several at a time. A pod waits for its volumes without taking the place of another one. */
export class Bindings {
  readonly #options: BindingsOptions;
  /** The pods that wait for their volumes. */
  readonly #waiting = new Map<string, AbortController>();

  constructor(options: BindingsOptions) {
    this.#options = options;
  }

  start(choice: ChosenNode): void {
    const { tasks } = this.#options;
    const { pod, reservations } = choice;
    tasks.add(requestsOf(pod.uid), () => (reservations.length === 0 ? this.#bind(choice) : this.#prepare(choice)));
  }

  /** Gives up a binding that waits for volumes. Returns false if there is none. */
  cancel(uid: string, reason: string): boolean {
    const waiting = this.#waiting.get(uid);
    waiting?.abort(new Error(reason));
    return waiting !== undefined;
  }

  stop(): void {
    for (const waiting of this.#waiting.values()) waiting.abort(new Error('context canceled'));
  }

  async #prepare(choice: ChosenNode): Promise<void> {
    const { client, tasks } = this.#options;
    const { pod, node, reservations } = choice;
    let current = '';
    try {
      await patchStatus(client, pod.pod, { nominatedNodeName: node });
      for (const reservation of reservations) {
        current = reservation.plugin;
        await reservation.write();
      }
    } catch (error) {
      return this.#fail(choice, `running PreBind plugin "${current}": ${errorMessage(error)}`, error);
    }
    const waiting = new AbortController();
    this.#waiting.set(pod.uid, waiting);
    // What happens next is decided by an event or a timer, so nobody waits here.
    void Promise.all(reservations.map((reservation) => this.#settled(reservation, waiting.signal)))
      .then(() => tasks.add(requestsOf(pod.uid), () => this.#bind(choice)))
      .catch((error: unknown) => this.#fail(choice, errorMessage(error), error))
      .finally(() => this.#waiting.delete(pod.uid));
  }

  async #settled(reservation: Reservation, signal: AbortSignal): Promise<void> {
    try {
      await reservation.settled(signal);
    } catch (error) {
      throw new Error(`running PreBind plugin "${reservation.plugin}": ${errorMessage(error)}`, { cause: error });
    }
  }

  async #bind(choice: ChosenNode): Promise<void> {
    const { client, recorder } = this.#options;
    const { pod, node } = choice;
    const { uid, name, namespace } = pod;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/binding`;
    const metadata = { name, namespace, uid };
    try {
      await client.request('POST', path, undefined, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata,
        target: { kind: 'Node', name: node },
      });
    } catch (error) {
      return this.#fail(choice, `running Bind plugin "DefaultBinder": ${errorMessage(error)}`, error);
    }
    recorder.event(pod.pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`, {
      action: 'Binding',
    });
  }

  #fail({ pod, reservations }: ChosenNode, message: string, cause: unknown): void {
    for (const reservation of reservations.toReversed()) reservation.release();
    this.#options.onFailure(pod, message, cause);
  }
}

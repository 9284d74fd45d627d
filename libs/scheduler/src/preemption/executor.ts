import type { EventRecorder, Logger, RestClient } from '@apichain/client';
import { errorMessage, isStatusError } from '@apichain/meta';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import { patchStatus } from '../pod-status.ts';
import type { TaskQueue } from '../task-queue.ts';
import type { Candidate } from './victims.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };

/** What the executor needs. */
interface PreemptionExecutorOptions {
  readonly client: RestClient;
  readonly recorder: EventRecorder;
  readonly tasks: TaskQueue;
  readonly cluster: Cluster;
  readonly log: Logger;
  /** Stops the binding of a pod that waits for its volumes. Returns false for a pod that does not. */
  readonly cancelBinding: (uid: string) => boolean;
  /** Called when the victims could not all be removed. */
  readonly onFailure: (pod: PodInfo) => void;
}

/** Removes the victims of preemption. Until their removal is requested, the pod that they make room for is not tried again. */
export class PreemptionExecutor {
  readonly #options: PreemptionExecutorOptions;
  /** For each pod whose preemption is under way: the UID of the victim that is removed last, once the others are removed. */
  readonly #preempting = new Map<string, string | undefined>();

  constructor(options: PreemptionExecutorOptions) {
    this.#options = options;
  }

  /** Keeps pods from being tried while their victims are being removed. */
  get plugin(): Plugin {
    return {
      name: 'DefaultPreemption',
      // The removal of a victim opens the gate; whether it makes the pod schedulable, the plugins say that rejected it.
      events: [on('Pod', ['Delete'], () => false)],
      preEnqueue: ({ uid }) =>
        this.#isPreempting(uid) ? unresolvable('waiting for the preemption for this pod to be finished') : undefined,
    };
  }

  /** Removes the victims, and takes the node from pods of lower priority that were nominated for it. */
  start(pod: PodInfo, { node, victims }: Candidate, lowerNominated: readonly PodInfo[]): void {
    const remaining = victims.filter(({ isTerminating }) => !isTerminating);
    const last = remaining.at(-1);
    if (last === undefined) return;
    const { tasks, client, log, onFailure } = this.#options;
    this.#preempting.set(pod.uid, undefined);
    tasks.add(`preempt/${pod.uid}`, async () => {
      let failed = false;
      try {
        await Promise.all(lowerNominated.map((other) => patchStatus(client, other.pod, { nominatedNodeName: '' })));
        await Promise.all(remaining.slice(0, -1).map((victim) => this.#remove(victim, pod, node)));
        this.#preempting.set(pod.uid, last.uid);
        await this.#remove(last, pod, node);
      } catch (error) {
        failed = true;
        log.error('preemption failed', { pod: pod.key, node, error: errorMessage(error) });
      }
      this.#preempting.delete(pod.uid);
      if (failed) onFailure(pod);
    });
  }

  #isPreempting(uid: string): boolean {
    if (!this.#preempting.has(uid)) return false;
    const last = this.#preempting.get(uid);
    if (last === undefined) return true;
    // The event of its removal may come before the response to the request.
    const victim = this.#options.cluster.placedPod(last);
    return victim !== undefined && !victim.isTerminating;
  }

  async #remove(victim: PodInfo, { uid, schedulerName }: PodInfo, node: string): Promise<void> {
    const { client, recorder, cancelBinding } = this.#options;
    const inMemory = cancelBinding(victim.uid);
    if (!inMemory) {
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      };
      await patchStatus(client, victim.pod, { condition });
      const { namespace, name } = victim;
      try {
        await client.delete({ ...pods, namespace }, name);
      } catch (error) {
        if (!isStatusError(error) || error.code !== 404) throw error;
        return;
      }
    }
    const note = `Preempted by pod ${uid} on node ${node}${inMemory ? ' (in kube-scheduler memory).' : ''}`;
    recorder.event(victim.pod, 'Normal', 'Preempted', note, { action: 'Preempting' });
  }
}

import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Node, Pod } from '@apichain/api/core/v1';
import { type EventRecorder, type Logger, type RestClient, WorkQueue, runWorkers } from '@apichain/client';
import { errorMessage, isNamespaceGoing } from '@apichain/meta';
import { Bindings } from './bindings.ts';
import { Cluster } from './cluster/cluster.ts';
import { PodInfo } from './cluster/pod-info.ts';
import { SchedulingAlgorithm, type Decision } from './framework/algorithm.ts';
import { type ClusterEvent, clusterEvent } from './framework/cluster-event.ts';
import { fitMessage } from './framework/fit-error.ts';
import { type Profile, defaultProfile } from './framework/profile.ts';
import { patchStatus } from './pod-status.ts';
import { dynamicResourcesMessage } from './post-filter.ts';
import { PreemptionExecutor } from './preemption/executor.ts';
import { findPreemption } from './preemption/preemption.ts';
import { nodeChanges, podChanges } from './queue/object-changes.ts';
import { QueuedPod } from './queue/queued-pod.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { requestsOf, TaskQueue } from './task-queue.ts';
import { VolumeBinder } from './volumes/volume-binder.ts';

/** What a scheduler needs. */
interface SchedulerOptions {
  readonly client: RestClient;
  readonly recorder: EventRecorder;
  readonly log: Logger;
  /** The scheduler takes the pods that ask for it by this name, and no others. */
  readonly schedulerName: string;
}

/** How many requests are made at the same time, and how many may wait before scheduling waits. */
const parallelRequests = 32;
const maxWaitingRequests = 512;

/** How many pods are scheduled in one turn of the event loop. */
const podsPerTurn = 4;

/** The longest message of an event, in characters. The condition has the whole message. */
const maxNote = 1_024;
const truncated = (message: string) => (message.length <= maxNote ? message : `${message.slice(0, maxNote - 4)} ...`);

/** The outcome of an attempt that found no node. */
interface Failure {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** The error of a request. */
  readonly cause?: unknown;
  /** The plugins that rejected the pod. Without them it is tried again after a while. */
  readonly rejectors: ReadonlySet<string>;
  /** The node for which the pod is nominated, '' for none. Undefined leaves a nomination as it is. */
  readonly nomination?: string | undefined;
}

const noRejectors: ReadonlySet<string> = new Set();
const isAssigned = ({ spec }: Pod) => (spec?.nodeName ?? '') !== '';

/** Takes pods out of the queue one by one and chooses their nodes. Whoever follows the objects passes their changes to it. */
export class Scheduler {
  readonly cluster = new Cluster();
  readonly queue: SchedulingQueue;
  readonly #options: SchedulerOptions;
  readonly #profile: Profile;
  readonly #algorithm: SchedulingAlgorithm;
  readonly #volumes: VolumeBinder;
  readonly #tasks: TaskQueue;
  readonly #bindings: Bindings;
  readonly #preemption: PreemptionExecutor;
  readonly #wakeUps = new WorkQueue();
  /** The pods without a node, as the API server has them. */
  readonly #pending = new Map<string, Pod>();
  /** What is known from earlier attempts about pods that are being bound. */
  readonly #inBinding = new Map<string, QueuedPod>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { client, recorder, log } = options;
    const { cluster } = this;
    this.#tasks = new TaskQueue(log);
    this.#volumes = new VolumeBinder(client, cluster);
    this.#profile = defaultProfile(this.#volumes);
    this.#bindings = new Bindings({
      client,
      recorder,
      tasks: this.#tasks,
      onFailure: (pod, message, cause) => this.#bindingFailed(pod, message, cause),
    });
    this.#preemption = new PreemptionExecutor({
      client,
      recorder,
      log,
      cluster,
      tasks: this.#tasks,
      cancelBinding: (uid) => this.#bindings.cancel(uid, 'preempted by DefaultPreemption'),
      onFailure: (pod) => this.queue.activate(pod.uid),
    });
    this.queue = new SchedulingQueue({
      plugins: [...this.#profile.plugins, this.#preemption.plugin],
      cluster,
      onActive: () => this.#wakeUps.add('pods'),
    });
    this.#algorithm = new SchedulingAlgorithm(this.#profile, cluster, this.queue.nominator);
  }

  /** Schedules pods until `stop`. */
  async run(): Promise<void> {
    const scheduling = runWorkers(
      this.#wakeUps,
      1,
      () => this.#schedulePods(),
      (_, error) => this.#options.log.error('scheduling failed', { error: errorMessage(error) }),
    );
    await Promise.all([scheduling, this.#tasks.run(parallelRequests)]);
  }

  stop(): void {
    this.#wakeUps.shutDown();
    this.#bindings.stop();
    this.#tasks.stop();
    this.queue.close();
  }

  /** A pod was created, or is seen for the first time. */
  addPod(pod: Pod): void {
    if (isAssigned(pod)) {
      this.cluster.setPod(pod);
      this.#tell(clusterEvent('Pod', 'Add', { after: pod }));
    } else if (this.#isOwn(pod)) {
      this.#pending.set(uidOf(pod), pod);
      this.queue.add(pod);
    }
  }

  updatePod(before: Pod, after: Pod): void {
    if (uidOf(before) !== uidOf(after)) {
      this.deletePod(before);
      this.addPod(after);
    } else if (isAssigned(after)) this.#updateAssigned(before, after);
    else if (this.#isOwn(after)) this.#updatePending(before, after);
  }

  /** A pod was deleted, or has come to its end. A pod that is not known is none of ours. */
  deletePod(pod: Pod): void {
    const uid = uidOf(pod);
    const isPlaced = this.cluster.placedPod(uid) !== undefined;
    if (!isPlaced && !this.#pending.has(uid)) return;
    this.#forgetPending(uid);
    const { priority, nominatedNodeName } = new PodInfo(pod);
    if (isPlaced) {
      this.#bindings.cancel(uid, 'pod is deleted');
      this.cluster.removePod(uid);
      this.#tell(clusterEvent('Pod', 'Delete', { before: placed(pod) }));
      this.#volumes.recheck();
    } else if (nominatedNodeName !== '')
      this.#tell(clusterEvent('Pod', 'Delete', { before: pod }), (other) => other.priority <= priority);
  }

  setNode(before: Node | undefined, after: Node): void {
    this.cluster.setNode(after);
    const events = before === undefined ? [clusterEvent('Node', 'Add', { after })] : nodeChanges(before, after);
    for (const event of events) this.#tell(event);
  }

  deleteNode(node: Node): void {
    this.#tell(clusterEvent('Node', 'Delete', { before: node }));
    this.cluster.removeNode(node.metadata.name ?? '');
    this.#volumes.recheck();
  }

  /** Another object by which pods are scheduled has changed. */
  onEvent(event: ClusterEvent): void {
    this.#volumes.recheck();
    this.#tell(event);
  }

  #tell(event: ClusterEvent, mayMove?: (pod: PodInfo) => boolean): void {
    this.queue.onEvent(event, mayMove);
  }

  #isOwn({ spec }: Pod): boolean {
    return spec?.schedulerName === this.#options.schedulerName;
  }

  #forgetPending(uid: string): void {
    this.#pending.delete(uid);
    this.#inBinding.delete(uid);
    this.queue.delete(uid);
  }

  #updateAssigned(before: Pod, after: Pod): void {
    this.cluster.setPod(after);
    if (isAssigned(before)) for (const event of podChanges(before, after)) this.#tell(event);
    else {
      this.#forgetPending(uidOf(after));
      this.#tell(clusterEvent('Pod', 'Add', { after }));
    }
  }

  #updatePending(before: Pod, after: Pod): void {
    const uid = uidOf(after);
    this.#pending.set(uid, after);
    if (this.cluster.isAssumed(uid)) {
      if (after.metadata.deletionTimestamp !== undefined) this.#bindings.cancel(uid, 'pod is being deleted');
      return;
    }
    this.queue.update(before, after);
    const { nominatedNodeName: was = '' } = before.status ?? {};
    const priority = before.spec?.priority ?? 0;
    if (was !== '' && was !== (after.status?.nominatedNodeName ?? ''))
      this.#tell(clusterEvent('Pod', 'Delete', { before }), (other) => other.priority <= priority);
  }

  /**
   * Chooses nodes as long as there are pods. Other work of the process runs after every few pods: by their number, because by the time that they took, the
   * order of what is done would differ from run to run.
   */
  async #schedulePods(): Promise<void> {
    let count = 0;
    for (let queued = this.queue.pop(); queued !== undefined; queued = this.queue.pop()) {
      this.#scheduleOne(queued);
      if (++count % podsPerTurn === 0) await turnOfLoop();
      await this.#tasks.below(maxWaitingRequests);
    }
  }

  #scheduleOne(queued: QueuedPod): void {
    const { info } = queued;
    const { recorder } = this.#options;
    if (info.isTerminating) {
      const note = `skip schedule deleting pod: ${info.key}`;
      recorder.event(info.pod, 'Warning', 'FailedScheduling', note, { action: 'Scheduling' });
      return;
    }
    if (this.cluster.isAssumed(info.uid)) return;
    try {
      if (this.cluster.nodes.length === 0) {
        const message = 'no nodes available to schedule pods';
        this.#fail(queued, { reason: 'Unschedulable', message, rejectors: noRejectors, nomination: '' });
        return;
      }
      const decision = this.#algorithm.decide(info);
      if ('node' in decision) this.#assume(queued, decision);
      else this.#fail(queued, this.#makeRoom(info, decision));
    } catch (error) {
      const message = errorMessage(error);
      this.#fail(queued, { reason: 'SchedulerError', message, rejectors: noRejectors, nomination: '' });
    }
  }

  #assume(queued: QueuedPod, { node, filters }: Extract<Decision, { node: string }>): void {
    const { info } = queued;
    this.cluster.assume(info, node);
    try {
      const reservations = filters.reserve(node);
      this.queue.nominator.delete(info.uid);
      this.#inBinding.set(info.uid, queued);
      this.#bindings.start({ pod: info, node, reservations });
    } catch (error) {
      this.cluster.forget(info.uid);
      throw error;
    }
  }

  /** Looks for pods that can make room, and has them removed. */
  #makeRoom(info: PodInfo, { diagnosis, filters, rejection }: Extract<Decision, { diagnosis: unknown }>): Failure {
    const failure = (postFilterMessage: string, nomination?: string): Failure => ({
      reason: 'Unschedulable',
      message: fitMessage(diagnosis, postFilterMessage),
      rejectors: diagnosis.plugins,
      nomination,
    });
    const claims = dynamicResourcesMessage(this.#profile, info, rejection);
    if (claims.isError) return failure(claims.message);
    const { nominator } = this.queue;
    const outcome = findPreemption(info, diagnosis, filters, this.cluster, nominator);
    if (!('candidate' in outcome))
      return failure(`${claims.message}, preemption: ${outcome.message}`, outcome.nomination);
    const { candidate } = outcome;
    const lower = nominator.forNode(candidate.node).filter(({ priority }) => priority < info.priority);
    this.#preemption.start(info, candidate, lower);
    return failure('', candidate.node);
  }

  #bindingFailed(info: PodInfo, message: string, cause: unknown): void {
    const { uid } = info;
    const queued = this.#inBinding.get(uid) ?? new QueuedPod(info);
    this.#inBinding.delete(uid);
    const before = placed(info.pod);
    this.cluster.forget(uid);
    this.#tell(clusterEvent('Pod', 'Delete', { before }));
    this.#fail(queued, { reason: 'SchedulerError', message, cause, rejectors: noRejectors, nomination: '' });
  }

  /** Puts the pod back into the queue and says why, in an event and in its status. */
  #fail(queued: QueuedPod, { reason, message, cause, rejectors, nomination }: Failure): void {
    const { client, recorder, log } = this.#options;
    if (reason === 'SchedulerError')
      log[isNamespaceGoing(cause) ? 'info' : 'error']('scheduling failed', { pod: queued.info.key, error: message });
    const pod = this.#pending.get(queued.uid);
    // The pod was deleted, or has a node in spite of the failure.
    if (pod === undefined) return;
    queued.info = new PodInfo(pod);
    this.queue.putBack(queued, rejectors);
    this.queue.nominator.set(queued.info, nomination ?? queued.info.nominatedNodeName);
    recorder.event(pod, 'Warning', 'FailedScheduling', truncated(message), { action: 'Scheduling' });
    const condition = { type: 'PodScheduled', status: 'False', reason, message };
    const change = nomination === undefined ? { condition } : { condition, nominatedNodeName: nomination };
    this.#tasks.add(requestsOf(queued.uid), () => patchStatus(client, this.#pending.get(queued.uid) ?? pod, change));
  }
}

const uidOf = ({ metadata }: Pod) => metadata.uid ?? '';

/** The pod as one that had a node. The name of the node does not matter to those who wait for the end of the pod. */
const placed = (pod: Pod): Pod => (isAssigned(pod) ? pod : { ...pod, spec: { ...pod.spec, nodeName: 'assumed' } });

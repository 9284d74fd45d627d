import type { Pod } from '@apichain/api/core/v1';
import { currentTime, startTimer } from '@apichain/meta';
import type { Cluster } from '../cluster/cluster.ts';
import { PodInfo } from '../cluster/pod-info.ts';
import { type ClusterEvent, type EventRegistration, isRegistered } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { BackoffQueue, isBackingOff } from './backoff.ts';
import { Heap } from './heap.ts';
import { Nominator } from './nominator.ts';
import { podChanges } from './object-changes.ts';
import { QueuedPod, comesBefore } from './queued-pod.ts';

/** A pod that nothing has made schedulable for this long is tried again. */
const maxUnschedulableMs = 300_000;

/** What a queue needs. */
interface SchedulingQueueOptions {
  readonly plugins: readonly Plugin[];
  readonly cluster: Cluster;
  /** Called whenever there is a pod to be tried. */
  readonly onActive: () => void;
}

/**
 * Pods without a node. A pod is in one of three places: active, to be tried in the order of priority; backing off; or unschedulable, until something
 * happens that one of the plugins that rejected it waits for. Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#queue-plugins
 */
export class SchedulingQueue {
  readonly nominator = new Nominator();
  readonly #options: SchedulingQueueOptions;
  readonly #gates: readonly Plugin[];
  readonly #active = new Heap<QueuedPod>(({ uid }) => uid, comesBefore);
  readonly #backoff = new BackoffQueue();
  readonly #unschedulable = new Map<string, QueuedPod>();
  #cancelFlush: (() => void) | undefined;
  #flushAt = Infinity;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#gates = options.plugins.filter(({ preEnqueue }) => preEnqueue !== undefined);
  }

  /** How many pods are in each place. */
  get sizes(): { readonly active: number; readonly backoff: number; readonly unschedulable: number } {
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: this.#unschedulable.size };
  }
  /** Whether `pop` has a pod. */
  get hasNext(): boolean {
    return this.#active.size > 0 || this.#backoff.hasEarly;
  }
  find(uid: string): QueuedPod | undefined {
    return this.#active.get(uid) ?? this.#backoff.get(uid) ?? this.#unschedulable.get(uid);
  }

  add(pod: Pod): void {
    const info = new PodInfo(pod);
    this.nominator.set(info, info.nominatedNodeName);
    this.#activate(new QueuedPod(info));
  }

  /** Takes note of a change of a pod in the queue. The change may be what the pod waits for. */
  update(before: Pod, after: Pod): void {
    const info = new PodInfo(after);
    const queued = this.find(info.uid);
    if (queued === undefined) return this.add(after);
    queued.info = info;
    this.nominator.update(new PodInfo(before), info);
    if (this.#active.get(info.uid) !== undefined) this.#active.add(queued);
    else if (this.#backoff.get(info.uid) !== undefined) this.#backoff.update(queued);
    else
      for (const event of podChanges(before, after))
        if (this.#isWorthTrying(queued, event, this.#waitingFor(event))) return this.#requeue(queued);
  }

  delete(uid: string): void {
    this.nominator.delete(uid);
    if (!this.#active.delete(uid) && !this.#backoff.delete(uid)) this.#unschedulable.delete(uid);
  }

  /** The pod to be tried next. When there is none, a pod that is backing off comes early. */
  pop(): QueuedPod | undefined {
    return this.#active.pop() ?? this.#backoff.popEarly();
  }

  /** Puts a pod back after an attempt that found no node. `rejectors` are the plugins that rejected it, none after an error. */
  putBack(queued: QueuedPod, rejectors: ReadonlySet<string>): void {
    queued.rejectors = rejectors;
    if (rejectors.size === 0) queued.errors++;
    else {
      queued.rejections++;
      queued.errors = 0;
    }
    queued.timestamp = currentTime();
    if (rejectors.size === 0) this.#requeue(queued);
    else this.#setUnschedulable(queued);
  }

  /** Tries a pod without waiting for an event or for the end of its back-off. */
  activate(uid: string): void {
    const queued = this.#unschedulable.get(uid) ?? this.#backoff.get(uid);
    if (queued !== undefined) this.#activate(queued);
  }

  /** Tries pods again that the event may have made schedulable. `mayMove` selects among them. */
  onEvent(event: ClusterEvent, mayMove: (pod: PodInfo) => boolean = () => true): void {
    if (this.#unschedulable.size === 0) return;
    const waiting = this.#waitingFor(event);
    for (const queued of [...this.#unschedulable.values()]) {
      if (queued.gate !== undefined && !waiting.has(queued.gate)) continue;
      if (mayMove(queued.info) && this.#isWorthTrying(queued, event, waiting)) this.#requeue(queued);
    }
  }

  close(): void {
    this.#cancelFlush?.();
  }

  /** The hints of the plugins that wait for such events. */
  #waitingFor(event: ClusterEvent): Waiting {
    return new Map(
      this.#options.plugins.flatMap(({ name, events = [] }) => {
        const registrations = events.filter((registration) => isRegistered(registration, event));
        return registrations.length === 0 ? [] : [[name, registrations.map(({ hint }) => hint)] as const];
      }),
    );
  }

  #isWorthTrying({ info, rejectors }: QueuedPod, event: ClusterEvent, waiting: Waiting): boolean {
    if (rejectors.size === 0) return true;
    const { cluster } = this.#options;
    for (const rejector of rejectors)
      for (const hint of waiting.get(rejector) ?? []) if (holds(() => hint?.(info, event.change, cluster))) return true;
    return false;
  }

  #requeue(queued: QueuedPod): void {
    if (!isBackingOff(queued)) return this.#activate(queued);
    if (!this.#passesGates(queued)) return;
    this.#unschedulable.delete(queued.uid);
    this.#backoff.add(queued);
    this.#flushBy(this.#backoff.nextEnd);
    this.#options.onActive();
  }

  #activate(queued: QueuedPod): void {
    if (!this.#passesGates(queued)) return;
    this.#unschedulable.delete(queued.uid);
    this.#backoff.delete(queued.uid);
    this.#active.add(queued);
    this.#options.onActive();
  }

  /** Whether the pod may be tried. If not, it waits among the unschedulable pods. */
  #passesGates(queued: QueuedPod): boolean {
    const { cluster } = this.#options;
    const closed = this.#gates.find(({ preEnqueue }) => preEnqueue?.(queued.info, cluster) !== undefined);
    queued.gate = closed?.name;
    if (closed === undefined) return true;
    queued.rejectors = new Set([...queued.rejectors, closed.name]);
    this.#backoff.delete(queued.uid);
    this.#setUnschedulable(queued);
    return false;
  }

  #setUnschedulable(queued: QueuedPod): void {
    this.#unschedulable.set(queued.uid, queued);
    this.#flushBy(flushTime(queued));
  }

  /** Starts a timer for the next pods that are tried again by the time alone, unless one ends earlier. */
  #flushBy(time: number): void {
    if (time >= this.#flushAt) return;
    this.#cancelFlush?.();
    this.#flushAt = time;
    this.#cancelFlush = startTimer(() => this.#flush(), time - currentTime());
  }

  #flush(): void {
    this.#flushAt = Infinity;
    for (const queued of this.#backoff.popCompleted()) this.#activate(queued);
    const now = currentTime();
    for (const queued of [...this.#unschedulable.values()])
      if (queued.gate === undefined && queued.timestamp + maxUnschedulableMs < now) this.#requeue(queued);
    for (const queued of this.#unschedulable.values()) this.#flushBy(flushTime(queued));
    this.#flushBy(this.#backoff.nextEnd);
  }
}

/** When a pod is tried again although nothing has happened that it waits for. */
const flushTime = ({ gate, timestamp }: QueuedPod) =>
  gate === undefined ? timestamp + maxUnschedulableMs + 1 : Infinity;

/** The hints of plugins, by the name of the plugin. */
type Waiting = ReadonlyMap<string, readonly EventRegistration['hint'][]>;

/** A hint that cannot be given counts as one to try the pod. */
function holds(hint: () => boolean | undefined): boolean {
  try {
    return hint() ?? true;
  } catch {
    return true;
  }
}

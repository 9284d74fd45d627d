import { currentTime } from '@apichain/meta';
import { Heap } from './heap.ts';
import { type QueuedPod, comesBefore } from './queued-pod.ts';

const initialMs = 1_000;
const maxMs = 10_000;
/** Pods whose back-off ends in the same second come in the order of their priority. */
const windowMs = 1_000;

const windowOf = (time: number) => time - (time % windowMs);

/** When a pod may be tried again; 0 for a pod that was not rejected. */
function backoffEnd({ timestamp, rejections, errors }: QueuedPod): number {
  const count = errors > 0 ? errors : rejections;
  return count === 0 ? 0 : windowOf(timestamp + Math.min(maxMs, initialMs * 2 ** Math.min(count - 1, 10)));
}

/** Whether it is too early to try a pod again. */
export const isBackingOff = (pod: QueuedPod): boolean => backoffEnd(pod) >= windowOf(currentTime());

/** Pods that may be tried again later. Those that were rejected may be taken early, when nothing else is to be done; those after an error may not. */
export class BackoffQueue {
  readonly #rejected = newHeap();
  readonly #failed = newHeap();

  get(uid: string): QueuedPod | undefined {
    return this.#rejected.get(uid) ?? this.#failed.get(uid);
  }
  get size(): number {
    return this.#rejected.size + this.#failed.size;
  }
  add(pod: QueuedPod): void {
    (pod.rejectors.size === 0 ? this.#failed : this.#rejected).add(pod);
  }
  /** Takes note that something by which pods are ordered has changed. */
  update(pod: QueuedPod): void {
    (this.#rejected.get(pod.uid) === undefined ? this.#failed : this.#rejected).add(pod);
  }
  delete(uid: string): boolean {
    return this.#rejected.delete(uid) || this.#failed.delete(uid);
  }
  /** Whether there is a pod that may be taken before the end of its back-off. */
  get hasEarly(): boolean {
    return this.#rejected.size > 0;
  }
  /** Takes the pod whose back-off ends first, before its end. */
  popEarly(): QueuedPod | undefined {
    return this.#rejected.pop();
  }
  /** Takes the pods whose back-off has ended. */
  popCompleted(): readonly QueuedPod[] {
    const completed: QueuedPod[] = [];
    for (const heap of [this.#rejected, this.#failed])
      for (let pod = heap.peek(); pod !== undefined && !isBackingOff(pod); pod = heap.peek()) {
        heap.delete(pod.uid);
        completed.push(pod);
      }
    return completed;
  }
  /** When the next back-off ends; infinity if there is none. */
  get nextEnd(): number {
    const endOf = (pod: QueuedPod | undefined) => (pod === undefined ? Infinity : backoffEnd(pod) + windowMs);
    return Math.min(endOf(this.#rejected.peek()), endOf(this.#failed.peek()));
  }
}

const newHeap = () =>
  new Heap<QueuedPod>(
    ({ uid }) => uid,
    (a, b) => {
      const [endOfA, endOfB] = [backoffEnd(a), backoffEnd(b)];
      return endOfA === endOfB ? comesBefore(a, b) : endOfA < endOfB;
    },
  );

/** Something that becomes due. */
export interface Timer {
  /** Milliseconds since the epoch. */
  readonly due: number;
  /** Of two with the same time, the one with the lower number comes first. */
  readonly order: number;
  /** False when it was cancelled or has fired. */
  isSet: boolean;
  readonly fire: () => void;
}

const isBefore = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** The number of timers from which on cancelled ones are removed. */
const worthCleaning = 64;

/** A binary heap: the earliest timer is found at once, however many there are. Cancelled ones leave it when they come to the top, or are the majority. */
export class TimerHeap {
  #heap: Timer[] = [];
  #cancelled = 0;

  /** The earliest timer. */
  get first(): Timer | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (top.isSet) return top;
      this.#cancelled--;
      this.#pop();
    }
    return undefined;
  }

  add(timer: Timer): void {
    if (this.#heap.length > worthCleaning && this.#cancelled > this.#heap.length / 2) this.#clean();
    this.#push(timer);
  }

  /** Takes note that a timer of this heap is no longer set. */
  noteCancelled(): void {
    this.#cancelled++;
  }

  /** Removes the timers that are due at `now`, and returns them in order. */
  takeDue(now: number): Timer[] {
    const due: Timer[] = [];
    for (let top = this.first; top !== undefined && top.due <= now; top = this.first) {
      due.push(top);
      this.#pop();
    }
    return due;
  }

  #clean(): void {
    const kept = this.#heap.filter(({ isSet }) => isSet);
    this.#heap = [];
    this.#cancelled = 0;
    for (const timer of kept) this.#push(timer);
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(timer, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      const right = heap[below + 1];
      if (child === undefined) break;
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        below++;
      }
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}

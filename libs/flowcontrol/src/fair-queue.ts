import type { FlowRequest } from './flow.ts';

/** One of the queues of a priority level. */
export class FairQueue {
  readonly index: number;
  /** In the order of arrival. */
  readonly waiting = new Set<FlowRequest>();
  /** Where on the meter the next request of the queue starts; means nothing while the queue is idle. */
  nextDispatchR = 0;
  executing = 0;
  /** Held by what executes, and for a while by what has executed. */
  seatsInUse = 0;
  /** Sums over what waits. */
  initialSeatsWaiting = 0;
  maxSeatsWaiting = 0;
  workWaiting = 0;

  constructor(index: number) {
    this.index = index;
  }

  get isIdle(): boolean {
    return this.executing === 0 && this.waiting.size === 0;
  }

  get oldest(): FlowRequest | undefined {
    for (const request of this.waiting) return request;
    return undefined;
  }
}

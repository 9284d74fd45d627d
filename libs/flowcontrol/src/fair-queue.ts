import type { RequestInfo } from '@apichain/request';
import type { FlowSchema } from './configuration.ts';
import type { FlowCounts } from './flow-counts.ts';

/** The data of a flow that the queues of a priority level use. */
export interface QueuedFlow {
  readonly schema: FlowSchema;
  /** The user or the namespace; empty when flows are not distinguished. */
  readonly distinguisher: string;
  /** The queues that the flow may use; empty = the level has none. */
  readonly hand: readonly number[];
  /** The counts of the schema at the level. */
  readonly counts: FlowCounts;
}

/** One of the queues of a priority level. */
export class FairQueue {
  readonly index: number;
  /** In the order of arrival. */
  readonly waiting = new Set<FlowRequest>();
  /** The virtual time (meter R) at which the next request of the queue starts; meaningless while the queue is idle. */
  nextDispatchR = 0;
  executing = 0;
  /** Seats of executing requests, and for a while of finished ones. */
  seatsInUse = 0;
  /** Sums over the waiting requests. */
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

/** A description of a waiting request, for the dump of requests. */
export interface Description {
  readonly userName: string;
  readonly requestInfo: RequestInfo;
}

/** The number of seats that a request takes. */
interface WorkEstimate {
  /** While the request is served. */
  initialSeats: number;
  /** For `additionalLatency` milliseconds after the response was sent. */
  finalSeats: number;
  additionalLatency: number;
}

type RequestState = 'new' | 'waiting' | 'executing' | 'finished';

/** One request at a priority level. */
export class FlowRequest<Of extends QueuedFlow = QueuedFlow> implements WorkEstimate {
  readonly flow: Of;
  initialSeats: number;
  finalSeats = 0;
  /** Milliseconds. */
  additionalLatency = 0;
  state: RequestState = 'new';
  /** Whether the request ran before one that was next, but needed more seats than were free. */
  isPassing = false;
  /** Undefined when the level has no queues. */
  queue: FairQueue | undefined;
  /** Seat-milliseconds, on the meter of its queue set. */
  arrivalR = 0;
  /** Milliseconds, on the clock of the queue set. */
  startedAt = 0;
  /** Set while the request waits. */
  waiting: { readonly arrivedAt: Date; readonly description: Description; readonly onDispatch: () => void } | undefined;

  constructor(flow: Of, initialSeats = 1) {
    this.flow = flow;
    this.initialSeats = initialSeats;
  }

  get maxSeats(): number {
    return this.initialSeats >= this.finalSeats ? this.initialSeats : this.finalSeats;
  }
}

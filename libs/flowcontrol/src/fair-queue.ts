import type { RequestInfo } from '@apichain/request';
import type { FlowSchema } from './configuration.ts';
import type { FlowCounts } from './flow-counts.ts';

/** What the queues of a priority level know of a flow. */
export interface QueuedFlow {
  readonly schema: FlowSchema;
  /** The user or the namespace; empty where there is nothing to tell apart. */
  readonly distinguisher: string;
  /** The queues the flow may use; empty = the level has none. */
  readonly hand: readonly number[];
  /** Of the schema at the level. */
  readonly counts: FlowCounts;
}

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

/** Who waits, for the dump of requests. */
export interface Description {
  readonly userName: string;
  readonly requestInfo: RequestInfo;
}

/** How much a request takes. */
export interface WorkEstimate {
  /** While it is served. */
  initialSeats: number;
  /** For `additionalLatency` milliseconds afterwards, in which the client has its answer already. */
  finalSeats: number;
  additionalLatency: number;
}

export type RequestState = 'new' | 'waiting' | 'executing' | 'finished';

/** One request on its way through a priority level. */
export class FlowRequest<Of extends QueuedFlow = QueuedFlow> implements WorkEstimate {
  readonly flow: Of;
  initialSeats: number;
  finalSeats = 0;
  /** Milliseconds. */
  additionalLatency = 0;
  state: RequestState = 'new';
  /** Undefined where there are no queues. */
  queue: FairQueue | undefined;
  /** Seat-milliseconds on the meter of its queue set. */
  arrivalR = 0;
  /** On the clock of the queue set, milliseconds. */
  startedAt = 0;
  /** Set while it waits. */
  waiting: { readonly arrivedAt: Date; readonly description: Description; readonly onDispatch: () => void } | undefined;

  constructor(flow: Of, initialSeats = 1) {
    this.flow = flow;
    this.initialSeats = initialSeats;
  }

  get maxSeats(): number {
    return this.initialSeats >= this.finalSeats ? this.initialSeats : this.finalSeats;
  }
}

import type { RequestInfo } from '@apichain/request';
import type { FlowSchema } from './configuration.ts';
import type { FairQueue } from './fair-queue.ts';
import type { FlowCounts } from './flow-counts.ts';
import type { PriorityLevel } from './priority-level.ts';

/** Requests that are not told apart: those of one FlowSchema with one distinguisher. Made once, not per request. */
export interface Flow {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  /** The user or the namespace; empty where there is nothing to tell apart. */
  readonly distinguisher: string;
  /** The queues the flow may use; empty = the level has none. */
  readonly hand: readonly number[];
  /** Of the schema at the level. */
  readonly counts: FlowCounts;
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
export class FlowRequest implements WorkEstimate {
  readonly flow: Flow;
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

  constructor(flow: Flow, initialSeats = 1) {
    this.flow = flow;
    this.initialSeats = initialSeats;
  }

  get maxSeats(): number {
    return this.initialSeats >= this.finalSeats ? this.initialSeats : this.finalSeats;
  }
}

import type { QueuedFlow } from './fair-queue.ts';
import type { PriorityLevel } from './priority-level.ts';

/** Requests that are not told apart: those of one FlowSchema with one distinguisher. Made once, not per request. */
export interface Flow extends QueuedFlow {
  readonly level: PriorityLevel;
}

import type { QueuedFlow } from './fair-queue.ts';
import type { PriorityLevel } from './priority-level.ts';

/** The requests of one FlowSchema with one distinguisher, which are treated alike. Created once, not per request. */
export interface Flow extends QueuedFlow {
  readonly level: PriorityLevel;
}

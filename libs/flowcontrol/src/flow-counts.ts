import { HistogramSeries } from '@apichain/observability';

const secondsBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out';

/** The metrics of one FlowSchema at one priority level. A request increments them directly. */
export class FlowCounts {
  readonly priorityLevel: string;
  readonly flowSchema: string;
  dispatched = 0;
  readonly rejected: Record<RejectReason, number> = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 };
  inQueue = 0;
  seatsInQueue = 0;
  executing = 0;
  executingSeats = 0;
  noAccommodation = 0;
  /** Dispatched without waiting. These requests are added to the histogram of waits only when it is read. */
  immediate = 0;
  readonly waited = new HistogramSeries(secondsBounds);
  readonly waitedInVain = new HistogramSeries(secondsBounds);
  readonly executed = new HistogramSeries(secondsBounds);
  readonly executedWatches = new HistogramSeries(secondsBounds);
  readonly queueLengths = new HistogramSeries([0, 10, 25, 50, 100, 250, 500, 1000]);
  readonly estimatedSeats = new HistogramSeries([1, 2, 4, 8, 16, 32, 64, 100]);
  readonly watchCounts = new HistogramSeries([0, 1, 10, 100, 1000, 10000]);

  constructor(priorityLevel: string, flowSchema: string) {
    this.priorityLevel = priorityLevel;
    this.flowSchema = flowSchema;
  }
}

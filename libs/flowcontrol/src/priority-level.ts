import type { PriorityLevelConfiguration } from './configuration.ts';
import { DroppedRequests } from './dropped-requests.ts';
import { FlowCounts } from './flow-counts.ts';
import { QueueSet } from './queue-set.ts';

/** Of its nominal seats a priority level gives one request no more than this part. */
const maxSeatsFraction = 0.15;

/** A priority level at work. It outlives changes of its configuration, and the configuration as long as it still serves requests. */
export class PriorityLevel {
  readonly name: string;
  readonly queues: QueueSet;
  readonly dropped = new DroppedRequests();
  readonly #counts = new Map<string, FlowCounts>();
  configuration: PriorityLevelConfiguration;
  /** Its configuration is gone; it ends when it is idle. */
  quiescing = false;
  /** Seats by shares; what is left of them when all that may be lent is; the most it may borrow up to; those it has now. */
  nominal = 0;
  lower = 0;
  upper = 0;
  current = 0;
  /** What the last adjustment aimed at. */
  target = 0;
  /** The most seats one request may be estimated at; 0 = the estimate's own bound. */
  maxSeats = 0;

  constructor(configuration: PriorityLevelConfiguration, clock: () => number) {
    this.name = configuration.name;
    this.configuration = configuration;
    this.queues = new QueueSet(configuration, 0, clock);
  }

  /** What the metrics count of a FlowSchema's requests at this level. */
  countsOf(flowSchema: string): FlowCounts {
    let counts = this.#counts.get(flowSchema);
    if (counts === undefined) {
      counts = new FlowCounts(this.name, flowSchema);
      this.#counts.set(flowSchema, counts);
    }
    return counts;
  }

  allCounts(): Iterable<FlowCounts> {
    return this.#counts.values();
  }

  /** `total` = the seats of the server; `shareSum` = the shares of all levels. */
  setShares(total: number, shareSum: number): void {
    const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent, queuing } = this.configuration;
    const isNew = this.upper === 0;
    this.nominal = Math.ceil((total * nominalConcurrencyShares) / Math.max(shareSum, 1));
    const lendable = Math.round((this.nominal * lendablePercent) / 100);
    const borrowable =
      borrowingLimitPercent === undefined ? total : Math.round((this.nominal * borrowingLimitPercent) / 100);
    this.lower = this.nominal - lendable;
    this.upper = this.nominal + borrowable;
    if (queuing !== undefined) {
      const byHand = Math.trunc(this.nominal / queuing.handSize);
      this.maxSeats = Math.max(1, Math.min(Math.ceil(this.nominal * maxSeatsFraction), byHand));
    } else this.maxSeats = 0;
    if (isNew) this.current = this.nominal - Math.trunc(lendable / 2);
  }
}

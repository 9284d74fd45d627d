import type { PriorityLevelConfiguration } from './configuration.ts';
import { DroppedRequests } from './dropped-requests.ts';
import { FlowCounts } from './flow-counts.ts';
import { QueueSet } from './queue-set.ts';

/** The largest part of its nominal seats that a priority level gives one request. */
const maxSeatsFraction = 0.15;

/** An active priority level. It persists when its configuration changes, and after its configuration is removed while it still serves requests. */
export class PriorityLevel {
  readonly name: string;
  readonly queues: QueueSet;
  readonly dropped = new DroppedRequests();
  readonly #counts = new Map<string, FlowCounts>();
  configuration: PriorityLevelConfiguration;
  /** The configuration was removed; the level ends when it is idle. */
  quiescing = false;
  /**
   * nominal: seats by shares. lower: seats that remain when all lendable seats are lent. upper: the limit including borrowed seats. current: the
   * seats at present.
   */
  nominal = 0;
  lower = 0;
  upper = 0;
  current = 0;
  /** The target of the last adjustment. */
  target = 0;
  /** The upper limit of the estimate for one request; 0 = only the estimate's own limit applies. */
  maxSeats = 0;

  constructor(configuration: PriorityLevelConfiguration, clock: () => number) {
    this.name = configuration.name;
    this.configuration = configuration;
    this.queues = new QueueSet(configuration, 0, clock);
  }

  /** The counts of a FlowSchema's requests at this level, for the metrics. */
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

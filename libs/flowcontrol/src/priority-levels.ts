import { allocate, type AllocationClass } from './concurrency-allocation.ts';
import { mandatory, type PriorityLevelConfiguration } from './configuration.ts';
import { PriorityLevel } from './priority-level.ts';

interface Limited {
  readonly level: PriorityLevel;
  readonly least: number;
  readonly item: AllocationClass;
}

/** The priority levels of a server. They divide its seats and lend unused seats to each other. */
export class PriorityLevels {
  /** The part of its demand that every level can have; 0 = there are not even enough seats for the lower bounds. */
  fairFraction = 0;
  /** The sums of seats and of queue places over all levels. */
  nominalSeats = 0;
  places = 0;
  readonly #levels = new Map<string, PriorityLevel>();
  readonly #total: number;
  readonly #clock: () => number;

  /** `total` = the number of one-seat requests that the server serves at a time. */
  constructor(total: number, clock: () => number) {
    this.#total = total;
    this.#clock = clock;
  }

  get(name: string): PriorityLevel | undefined {
    const level = this.#levels.get(name);
    return level?.quiescing === true ? undefined : level;
  }

  all(): PriorityLevel[] {
    return [...this.#levels.values()];
  }

  /** Whether a removed level is idle and can be dropped. */
  get canForget(): boolean {
    return this.all().some(({ quiescing, queues }) => quiescing && queues.isIdle);
  }

  /** Replaces the configuration. The two mandatory levels always exist. A removed level that still serves requests stays until it is idle. */
  configure(configurations: readonly PriorityLevelConfiguration[]): void {
    const wanted = new Map(configurations.map((configuration) => [configuration.name, configuration]));
    for (const { name, ...more } of [mandatory.priorityLevels.exempt, mandatory.priorityLevels.catchAll]) {
      if (!wanted.has(name)) wanted.set(name, { name, ...more });
    }
    for (const [name, level] of this.#levels) {
      if (wanted.has(name)) continue;
      if (level.queues.isIdle) this.#levels.delete(name);
      else level.quiescing = true;
    }
    for (const [name, configuration] of wanted) {
      const level = this.#levels.get(name);
      if (level === undefined) this.#levels.set(name, new PriorityLevel(configuration, this.#clock));
      else {
        level.configuration = configuration;
        level.quiescing = false;
      }
    }
    const levels = this.all();
    const shareSum = levels.reduce((sum, level) => sum + level.configuration.nominalConcurrencyShares, 0);
    for (const level of levels) level.setShares(this.#total, shareSum);
    this.nominalSeats = levels.reduce((sum, { nominal }) => sum + nominal, 0);
    this.places = levels.reduce((sum, { configuration: { queuing } }) => {
      return sum + (queuing === undefined ? 0 : queuing.queues * queuing.queueLengthLimit);
    }, 0);
    this.adjust();
  }

  /**
   * Sets the seats of each level by its recent demand, within its bounds. Called every ten seconds (KEP-1040, "Concurrency borrowing"). An exempt
   * level takes what it needs; the other levels share the rest.
   */
  adjust(): void {
    const levels = this.all();
    const nominalSum = levels.reduce((sum, level) => sum + level.nominal, 0);
    let remaining = nominalSum;
    const limited: Limited[] = [];
    for (const level of levels) {
      const { queues, configuration } = level;
      queues.advance();
      queues.demand.endPeriod(queues.seatsInUse + queues.seatsWaiting);
      const { highWatermark, smoothed } = queues.demand;
      if (configuration.exempt) {
        level.target = level.current = Math.max(level.lower, highWatermark);
        remaining -= level.current;
      } else {
        const least = Math.max(level.lower, Math.min(level.nominal, highWatermark));
        level.target = Math.max(least, smoothed);
        limited.push({ level, least, item: { lower: least, upper: level.upper, target: level.target } });
      }
    }
    this.#divide(limited, remaining, nominalSum);
    for (const level of levels) {
      const { current, queues, configuration } = level;
      queues.configure(configuration, current, current > 0 ? current : Math.max(1, Math.round(this.#total / 10)));
    }
  }

  #divide(limited: readonly Limited[], remaining: number, nominalSum: number): void {
    const lowerSum = limited.reduce((sum, { level }) => sum + level.lower, 0);
    const leastSum = limited.reduce((sum, { least }) => sum + least, 0);
    this.fairFraction = 0;
    if (remaining <= leastSum) {
      const fraction = remaining <= lowerSum ? 0 : (remaining - lowerSum) / (leastSum - lowerSum);
      for (const { level, least } of limited) {
        level.current = level.lower + Math.round((least - level.lower) * fraction);
      }
      return;
    }
    const divided = allocate(
      nominalSum,
      limited.map(({ item }) => item),
    );
    if (divided === undefined) return;
    this.fairFraction = divided.fairFraction;
    for (const [i, { level }] of limited.entries()) level.current = Math.round(divided.allotments[i] ?? level.current);
  }
}

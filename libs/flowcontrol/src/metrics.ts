import { Gauge, type LabelValues, type Registry } from 'prom-client';
import { histogramLines, type HistogramSeries } from '@apichain/observability';
import type { FlowCounts } from './flow-counts.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { PriorityLevels } from './priority-levels.ts';
import type { TimingHistogram } from './timing-histogram.ts';

type Labels = Readonly<Record<string, string>>;
type Type = 'gauge' | 'counter' | 'histogram';
interface Sample {
  readonly metricName: string;
  readonly labels: LabelValues<string>;
  readonly value: number;
}

/** A metric that is computed when it is read; no values are stored. */
interface Computed {
  readonly name: string;
  readonly help: string;
  readonly type: Type;
  readonly samples: () => Sample[];
}

/** prom-client's metrics look up their labels on every change, which costs more than the rest of limiting a request. */
class ComputedMetric extends Gauge {
  readonly #computed: Computed;

  constructor(computed: Computed) {
    const { name, help } = computed;
    super({ name, help, registers: [] });
    this.#computed = computed;
  }

  override async get(): ReturnType<Gauge['get']> {
    const { type, samples } = this.#computed;
    const base = await super.get();
    return Object.assign({}, base, { type, values: samples() });
  }
}

/** Requests that did not wait belong to the bucket of the shortest waits. */
const withImmediate = ({ immediate }: FlowCounts, { bounds, counts, count, sum }: HistogramSeries) => ({
  bounds,
  counts: counts.with(1, (counts[1] ?? 0) + immediate),
  count: count + immediate,
  sum,
});

const prefix = 'apiserver_flowcontrol_';

/** The number of requests of a kind over time. */
export interface KindUtilization {
  readonly labels: { readonly phase: string; readonly request_kind: string };
  /** The histogram up to the present. */
  readonly histogram: () => TimingHistogram;
}

/** The metrics of priority and fairness: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export function registerFlowControlMetrics(
  registry: Registry,
  levels: PriorityLevels,
  kinds: readonly KindUtilization[],
): void {
  const add: Add = (type, name, help, samples) => {
    const full = prefix + name;
    registry.registerMetric(new ComputedMetric({ name: full, help, type, samples: () => samples(full) }));
  };
  perLevel(add, levels);
  perFlow(add, levels);
  add(
    'histogram',
    'read_vs_write_current_requests',
    'Nanoseconds by the number of requests as a part of the limit.',
    (name) => kinds.flatMap(({ labels, histogram }) => histogramLines(name, labels, histogram())),
  );
  add('gauge', 'seat_fair_frac', 'Part of its target that every priority level that can use it has.', (metricName) => [
    { metricName, labels: {}, value: levels.fairFraction },
  ]);
}

type Add = (type: Type, name: string, help: string, samples: (name: string) => Sample[]) => void;

const limited = ({ configuration }: PriorityLevel): boolean => !configuration.exempt;

function perLevel(add: Add, levels: PriorityLevels): void {
  const gauge = (name: string, help: string, value: (level: PriorityLevel) => number) =>
    add('gauge', name, help, (metricName) =>
      levels.all().map((level) => ({ metricName, labels: { priority_level: level.name }, value: value(level) })),
    );
  gauge('nominal_limit_seats', 'Seats by shares.', (level) => level.nominal);
  gauge('lower_limit_seats', 'Seats that are not lent.', (level) => level.lower);
  gauge('upper_limit_seats', 'Seats with all that may be borrowed.', (level) => level.upper);
  gauge('current_limit_seats', 'Seats now.', (level) => level.current);
  gauge('target_seats', 'Seats that the last adjustment aimed at.', (level) => level.target);
  gauge(
    'demand_seats_high_watermark',
    'Highest demand in the last adjustment period.',
    (level) => level.queues.demand.highWatermark,
  );
  gauge(
    'demand_seats_average',
    'Average demand in the last adjustment period.',
    (level) => level.queues.demand.average,
  );
  gauge(
    'demand_seats_stdev',
    'Standard deviation of the demand in the last adjustment period.',
    (level) => level.queues.demand.deviation,
  );
  gauge('demand_seats_smoothed', 'Smoothed demand.', (level) => level.queues.demand.smoothed);
  const seconds = (milliseconds: number) => milliseconds / 1000;
  gauge('current_r', 'The meter of work done, in seat-seconds.', ({ queues }) => seconds(queues.currentR));
  gauge('dispatch_r', 'The meter at the last dispatch.', ({ queues }) => seconds(queues.lastDispatch.r));
  gauge('latest_s', 'Where the request dispatched last started.', ({ queues }) => seconds(queues.lastDispatch.s));
  const bounds = (name: string, help: string, of: (level: PriorityLevel) => { min: number; max: number }) =>
    add('gauge', name, help, (metricName) =>
      levels.all().flatMap((level) =>
        Object.entries(of(level)).map(([bound, value]) => ({
          metricName,
          labels: { priority_level: level.name, bound },
          value: seconds(value),
        })),
      ),
    );
  bounds('next_s_bounds', 'Where the oldest requests of the queues would start.', ({ queues: { lastDispatch } }) => ({
    min: lastDispatch.sMin,
    max: lastDispatch.sMax,
  }));
  bounds(
    'next_discounted_s_bounds',
    'The same without the work that is estimated to be under way.',
    ({ queues: { lastDispatch } }) => ({ min: lastDispatch.discountedSMin, max: lastDispatch.discountedSMax }),
  );
  utilization(add, levels);
}

function utilization(add: Add, levels: PriorityLevels): void {
  const timing = (name: string, help: string, of: (level: PriorityLevel) => readonly [Labels, TimingHistogram][]) =>
    add('histogram', name, help, (metricName) =>
      levels.all().flatMap((level) => {
        level.queues.advance();
        return of(level).flatMap(([labels, histogram]) =>
          histogramLines(metricName, { ...labels, priority_level: level.name }, histogram),
        );
      }),
    );
  timing('priority_level_seat_utilization', 'Nanoseconds by the part of the seats in use.', ({ queues }) => [
    [{ phase: 'executing' }, queues.seatUtilization],
  ]);
  timing(
    'priority_level_request_utilization',
    'Nanoseconds by the number of requests as a part of the limit.',
    ({ queues }) => [
      [{ phase: 'waiting' }, queues.waitingUtilization],
      [{ phase: 'executing' }, queues.executingUtilization],
    ],
  );
  timing('demand_seats', 'Nanoseconds by the seats that could be used as a part of the limit.', ({ queues }) => [
    [{}, queues.demandUtilization],
  ]);
}

function perFlow(add: Add, levels: PriorityLevels): void {
  const each = (make: (counts: FlowCounts, labels: Labels, level: PriorityLevel) => Sample[]): Sample[] =>
    levels
      .all()
      .flatMap((level) =>
        [...level.allCounts()].flatMap((counts) =>
          make(counts, { priority_level: counts.priorityLevel, flow_schema: counts.flowSchema }, level),
        ),
      );
  const value = (type: Type, name: string, help: string, of: (counts: FlowCounts) => number) =>
    add(type, name, help, (metricName) => each((counts, labels) => [{ metricName, labels, value: of(counts) }]));
  value('counter', 'dispatched_requests_total', 'Requests executed.', (counts) => counts.dispatched);
  add('counter', 'rejected_requests_total', 'Requests rejected.', (metricName) =>
    each((counts, labels) =>
      Object.entries(counts.rejected)
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => ({ metricName, labels: { ...labels, reason }, value: count })),
    ),
  );
  value('gauge', 'current_inqueue_requests', 'Requests in queues.', (counts) => counts.inQueue);
  value('gauge', 'current_inqueue_seats', 'Seats that requests in queues wait for.', (counts) => counts.seatsInQueue);
  value('gauge', 'current_executing_requests', 'Requests executing.', (counts) => counts.executing);
  value('gauge', 'current_executing_seats', 'Seats in use.', (counts) => counts.executingSeats);
  value(
    'counter',
    'request_dispatch_no_accommodation_total',
    'Times that the next request found too few seats.',
    (counts) => counts.noAccommodation,
  );
  flowHistograms(add, each);
}

type Each = (make: (counts: FlowCounts, labels: Labels, level: PriorityLevel) => Sample[]) => Sample[];

function flowHistograms(add: Add, each: Each): void {
  const histogram = (name: string, help: string, of: (counts: FlowCounts) => HistogramSeries) =>
    add('histogram', name, help, (metricName) =>
      each((counts, labels) => histogramLines(metricName, labels, of(counts))),
    );
  add('histogram', 'request_wait_duration_seconds', 'Time spent waiting in a queue.', (metricName) =>
    each((counts, labels, level) =>
      limited(level)
        ? [
            ...histogramLines(metricName, { ...labels, execute: 'true' }, withImmediate(counts, counts.waited)),
            ...histogramLines(metricName, { ...labels, execute: 'false' }, counts.waitedInVain),
          ]
        : [],
    ),
  );
  add('histogram', 'request_queue_length_after_enqueue', 'Length of the queue a request joined.', (metricName) =>
    each((counts, labels, { configuration }) =>
      configuration.queuing === undefined
        ? []
        : histogramLines(metricName, labels, withImmediate(counts, counts.queueLengths)),
    ),
  );
  add('histogram', 'request_execution_seconds', 'Time spent executing; of a watch, until it began.', (metricName) =>
    each((counts, labels) => [
      ...histogramLines(metricName, { ...labels, type: 'regular' }, counts.executed),
      ...histogramLines(metricName, { ...labels, type: 'watch' }, counts.executedWatches),
    ]),
  );
  histogram('work_estimated_seats', 'Seats that requests were estimated at.', (counts) => counts.estimatedSeats);
  histogram('watch_count_samples', 'Watches that would hear of a write.', (counts) => counts.watchCounts);
}

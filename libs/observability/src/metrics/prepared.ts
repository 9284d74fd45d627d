import { Counter, Histogram, type LabelValues, type Registry } from 'prom-client';

/*
 * Counters and histograms for code that runs for every request. The series of a set of labels is looked up once, when it is prepared, so that
 * counting is only an addition. prom-client takes a few microseconds for each lookup of a series by its labels.
 */

interface Settings<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly registry: Registry;
}

/** The counter of one set of labels. */
export interface CounterSeries {
  value: number;
}

/** A counter with prepared series. A series without counts is not shown. */
export class PreparedCounter<Label extends string> extends Counter<Label> {
  readonly #series: { readonly labels: LabelValues<Label>; readonly counted: CounterSeries }[] = [];

  constructor({ name, help, labelNames, registry }: Settings<Label>) {
    super({ name, help, labelNames, registers: [registry] });
  }

  /** Must be called once per set of labels. The caller adds to `value`. */
  prepare(labels: LabelValues<Label>): CounterSeries {
    const counted = { value: 0 };
    this.#series.push({ labels, counted });
    return counted;
  }

  override async get() {
    const data = await super.get();
    const counting = this.#series.filter(({ counted }) => counted.value > 0);
    return { ...data, values: counting.map(({ labels, counted }) => ({ labels, value: counted.value })) };
  }

  override reset(): void {
    super.reset();
    // The constructor of prom-client calls reset before the field exists.
    if (!(#series in this)) return;
    for (const { counted } of this.#series) counted.value = 0;
  }
}

/** The histogram of one set of labels. */
export class HistogramSeries {
  /** In ascending order. */
  readonly bounds: readonly number[];
  /** Counts per bucket, not cumulative. Values above the last bound are in `count` only. */
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.sum += value;
    this.count++;
    const { bounds } = this;
    for (let i = 0; i < bounds.length; i++) {
      if (value > (bounds[i] ?? 0)) continue;
      this.counts[i] = (this.counts[i] ?? 0) + 1;
      return;
    }
  }

  reset(): void {
    this.counts.fill(0);
    this.sum = 0;
    this.count = 0;
  }
}

/** The series in the form in which a registry writes it. */
export function histogramLines<Label extends string>(
  name: string,
  labels: LabelValues<Label>,
  { bounds, counts, count, sum }: Pick<HistogramSeries, 'bounds' | 'counts' | 'count' | 'sum'>,
) {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** A histogram with prepared series. A series without values is not shown. */
export class PreparedHistogram<Label extends string> extends Histogram<Label> {
  readonly #bounds: readonly number[];
  readonly #settings: Settings<Label>;
  readonly #series: { readonly labels: LabelValues<Label>; readonly observed: HistogramSeries }[] = [];

  constructor(settings: Settings<Label> & { readonly buckets: readonly number[] }) {
    const { name, help, labelNames, registry, buckets } = settings;
    super({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
    this.#bounds = buckets;
    this.#settings = settings;
  }

  /** Must be called once per set of labels. `observed` may be kept elsewhere. */
  prepare(labels: LabelValues<Label>, observed = new HistogramSeries(this.#bounds)): HistogramSeries {
    this.#series.push({ labels, observed });
    return observed;
  }

  /** Called by the registry when it writes the exposition text, and by the library's `get`, which adds the shared labels to each value. */
  getForPromString() {
    const { name, help } = this.#settings;
    const values = this.#series
      .filter(({ observed }) => observed.count > 0)
      .flatMap(({ labels, observed }) => histogramLines(name, labels, observed))
      .map((line) => ({ ...line, sharedLabels: {} }));
    return Promise.resolve({ name, help, type: 'histogram', values });
  }

  override reset(): void {
    super.reset();
    if (!(#series in this)) return;
    for (const { observed } of this.#series) observed.reset();
  }
}

/** Returns `count` bounds, each `factor` times the previous one: multiplied one by one, so that they are rounded as Go's ExponentialBuckets. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? start) * factor);
  return bounds;
}

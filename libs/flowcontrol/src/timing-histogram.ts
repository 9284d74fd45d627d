import { HistogramSeries } from '@apichain/observability';

/** How long a ratio was in each of its buckets: a timing histogram of Kubernetes, which counts nanoseconds. */
export class TimingHistogram extends HistogramSeries {
  /** Records that the ratio was `ratio` for that many milliseconds. */
  add(ratio: number, milliseconds: number): void {
    const nanoseconds = milliseconds * 1e6;
    this.sum += ratio * nanoseconds;
    this.count += nanoseconds;
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && ratio > (bounds[bucket] ?? 0)) bucket++;
    if (bucket < bounds.length) counts[bucket] = (counts[bucket] ?? 0) + nanoseconds;
  }
}

const bounds = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** A number of requests, and for how long it was which part of the limit. */
export class TimedCount {
  readonly #histogram = new TimingHistogram(bounds);
  readonly #limit: () => number;
  #since: number;
  value = 0;

  /** `now` = milliseconds on the clock of the changes. */
  constructor(limit: () => number, now: number) {
    this.#limit = limit;
    this.#since = now;
  }

  change(by: 1 | -1, now: number): void {
    this.#advance(now);
    this.value += by;
  }

  histogram(now: number): TimingHistogram {
    this.#advance(now);
    return this.#histogram;
  }

  #advance(now: number): void {
    const elapsed = now - this.#since;
    if (elapsed <= 0) return;
    this.#since = now;
    this.#histogram.add(this.value / Math.max(1, this.#limit()), elapsed);
  }
}

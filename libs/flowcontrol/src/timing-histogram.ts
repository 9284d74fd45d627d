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

/** How long a ratio was in each of its buckets: Kubernetes' timing histograms, which count nanoseconds. */
export class TimingHistogram {
  readonly bounds: readonly number[];
  /** One more than there are bounds; nanoseconds. */
  readonly counts: Float64Array;
  sum = 0;

  /** `bounds` ascend. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** The ratio has been `ratio` for so many milliseconds. */
  add(ratio: number, milliseconds: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && ratio > (bounds[bucket] ?? 0)) bucket++;
    const nanoseconds = milliseconds * 1e6;
    counts[bucket] = (counts[bucket] ?? 0) + nanoseconds;
    this.sum += ratio * nanoseconds;
  }
}

/** A plain histogram that costs an addition or two. */
export class PlainHistogram {
  readonly bounds: readonly number[];
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

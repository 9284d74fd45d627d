/** Gives the smoothed demand a half-life of five minutes, with one update every ten seconds. */
const smoothing = 0.977;

/** The number of seats that a priority level could use, over time. Borrowing is based on it. */
export class SeatDemand {
  highWatermark = 0;
  average = 0;
  deviation = 0;
  smoothed = 0;
  #elapsed = 0;
  #integral = 0;
  #squares = 0;
  #highest = 0;

  /** Records that the demand was `seats` for that many milliseconds. */
  add(seats: number, milliseconds: number): void {
    this.#elapsed += milliseconds;
    this.#integral += seats * milliseconds;
    this.#squares += seats * seats * milliseconds;
  }

  /** Records that the demand is now `seats`. */
  note(seats: number): void {
    if (seats > this.#highest) this.#highest = seats;
  }

  /** Ends a period and publishes its figures. `seats` = the demand at this moment. */
  endPeriod(seats: number): void {
    this.highWatermark = this.#highest;
    this.#highest = seats;
    if (this.#elapsed <= 0) return;
    const average = this.#integral / this.#elapsed;
    const variance = this.#squares / this.#elapsed - average * average;
    this.average = average;
    this.deviation = variance > 0 ? Math.sqrt(variance) : 0;
    const envelope = this.average + this.deviation;
    this.smoothed = Math.max(envelope, smoothing * this.smoothed + (1 - smoothing) * envelope);
    this.#elapsed = 0;
    this.#integral = 0;
    this.#squares = 0;
  }
}

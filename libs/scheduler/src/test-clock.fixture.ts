import type { Clock } from '@apichain/meta';

/** A clock that stands until it is moved. */
export class TestClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  #timers: { readonly due: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }
  setTimer(callback: () => void, delayMs: number): () => void {
    const timer = { due: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((other) => other !== timer));
  }
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = end;
  }
}

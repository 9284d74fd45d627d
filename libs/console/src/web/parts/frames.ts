/** Milliseconds between two pictures of what is known: often enough to look steady, and a small part of the processor with 10,000 pods. */
const frameMs = 100;

/** Calls `show` in an animation frame after any number of requests, and not again before `frameMs` have passed. */
export class Frames {
  readonly #show: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = -frameMs;

  constructor(show: () => void) {
    this.#show = show;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    const frame = () => {
      this.#timer = undefined;
      this.#last = performance.now();
      this.#show();
    };
    const wait = Math.max(0, this.#last + frameMs - performance.now());
    this.#timer = setTimeout(() => requestAnimationFrame(frame), wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

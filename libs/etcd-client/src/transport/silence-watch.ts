/** The interval of the checks, in milliseconds. */
const period = 500;
/** The number of checks without any sign of life until the endpoint is asked for one, and until it is abandoned. */
const looksUntilAsked = 2;
const looksUntilSilent = 5;

export interface SilenceWatchOptions {
  /** Called to request a sign of life from the endpoint. */
  readonly ask: () => void;
  /** Called when the endpoint has sent nothing although calls are under way. */
  readonly onSilent: () => void;
}

/**
 * Detects within three seconds that an endpoint has stopped while its connections stay open: the member is stopped or its host is gone. Keepalive
 * detects that too, but etcd allows keepalives at most every five seconds. Counts checks instead of time: data that arrived is read between two
 * checks, so a process whose own event loop was blocked does not blame the endpoint.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  #underWay = 0;
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
  }

  /** A call has begun. */
  begin(): void {
    if (this.#underWay++ === 0) this.#looks = 0;
    this.#timer ??= setInterval(() => this.#look(), period).unref();
  }

  /** A call has ended. */
  end(): void {
    this.#underWay--;
  }

  /** The endpoint has sent something. */
  heard(): void {
    this.#looks = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#underWay === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#looks++;
    if (this.#looks === looksUntilAsked) this.#options.ask();
    if (this.#looks < looksUntilSilent) return;
    this.stop();
    this.#options.onSilent();
  }
}

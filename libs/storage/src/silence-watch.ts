/** How often it looks, in milliseconds. */
const period = 500;
/** Looks without a sign of life after which the endpoint is asked for one, and after which it is given up. */
const looksUntilAsked = 2;
const looksUntilSilent = 5;

export interface SilenceWatchOptions {
  /** Asks the endpoint for a sign of life. */
  readonly ask: () => void;
  /** The endpoint has given none, though calls are under way. */
  readonly onSilent: () => void;
}

/**
 * Notices within three seconds that an endpoint has stopped without its connections breaking: a member that is stopped or whose host is gone.
 * Keepalive finds that as well, but etcd allows it no more often than every five seconds. It counts its own looks instead of time, so that a
 * process that was itself held up does not blame the endpoint: between two looks what has arrived is read.
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

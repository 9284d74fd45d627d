import { joinHostPort } from '@apichain/go-text';
import { colored, isColored } from '../terminal/color.ts';
import { StatusLine } from '../terminal/status-line.ts';
import type { Activity, UpChain } from './chain.ts';
import { auditsToStandardOutput } from './first-service.ts';
import type { UpOptions } from './options.ts';
import { printAbove } from './say.ts';

const periodMs = 1_000;

/**
 * Whether a chain shows its status on this terminal: not in CI, where it would fill a log, and not where other text is written to standard output. What
 * comes here has found out that keys are read, so that the process is in the foreground of a terminal.
 */
export const showsStatus = (
  { statusLine, serviceFlags }: UpOptions,
  environment: NodeJS.ProcessEnv = process.env,
): boolean =>
  statusLine &&
  ['', 'false', '0'].includes(environment['CI'] ?? '') &&
  environment['TERM'] !== 'dumb' &&
  !auditsToStandardOutput(serviceFlags);

/** Shows on the last line of the terminal where the chain is, how many objects it has and how many requests there are in a second. */
export class ShownStatus {
  readonly #chain: UpChain;
  readonly #options: UpOptions;
  readonly #line: StatusLine;
  #timer: NodeJS.Timeout | undefined;
  #last: { readonly at: number; readonly requests: number } | undefined;

  constructor(chain: UpChain, options: UpOptions) {
    this.#chain = chain;
    this.#options = options;
    const isPainted = isColored(process.stdout);
    this.#line = new StatusLine(process.stdout, (text) => (isPainted ? colored(text, 'aside') : text));
  }

  /** Begins, also after `pause`. */
  start(): void {
    if (this.#timer !== undefined) return;
    printAbove(this.#line);
    this.#line.show(statusText(this.#options, undefined, undefined));
    void this.#update();
    this.#timer = setInterval(() => void this.#update(), periodMs);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#last = undefined;
    this.#line.hide();
  }

  close(): void {
    this.pause();
    printAbove(undefined);
    this.#line.close();
  }

  async #update(): Promise<void> {
    const activity = await this.#chain.activity();
    if (this.#timer === undefined) return;
    const [at, last] = [performance.now(), this.#last];
    this.#last = activity === undefined ? undefined : { at, requests: activity.requests };
    const rate =
      activity === undefined || last === undefined
        ? undefined
        : ((activity.requests - last.requests) * 1_000) / Math.max(1, at - last.at);
    this.#line.show(statusText(this.#options, activity, rate));
  }
}

/** `https://127.0.0.1:6443  console http://127.0.0.1:6480  183 objects  12 req/s`; what is not known is left out. */
export function statusText(
  { bindAddress, securePort, consolePort }: Pick<UpOptions, 'bindAddress' | 'securePort' | 'consolePort'>,
  activity: Activity | undefined,
  rate: number | undefined,
): string {
  return [
    `https://${joinHostPort(bindAddress, securePort)}`,
    consolePort === undefined ? 'console off' : `console http://127.0.0.1:${consolePort}`,
    ...(activity === undefined ? [] : [`${activity.objects} objects`]),
    // A service that was restarted counts from zero.
    ...(rate === undefined || rate < 0 ? [] : [`${rate < 9.95 ? rate.toFixed(1) : Math.round(rate)} req/s`]),
  ].join('  ');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const stopTimeoutMs = 10_000;
const pollMs = 50;

/** A program that runs in the background. Its output goes to a file. */
export class Process {
  readonly #child: ChildProcess;
  readonly #logFile: string;
  #failure: string | undefined;
  readonly #ended: Promise<void>;

  /** `environment` is added to the environment of this program. */
  constructor(
    program: string,
    args: readonly string[],
    logFile: string,
    environment: Readonly<Record<string, string>> = {},
  ) {
    const log = openSync(logFile, 'a');
    this.#logFile = logFile;
    this.#child = spawn(program, args, { stdio: ['ignore', log, log], env: { ...process.env, ...environment } });
    closeSync(log);
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#failure = error.message;
        resolve();
      });
      this.#child.once('exit', (code, signal) => {
        this.#failure = `${program} ended with ${signal ?? code}`;
        resolve();
      });
    });
  }

  /** Waits until the condition holds. Throws Error with the end of the log when the program ends before, or after the timeout in ms. */
  async until(condition: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await condition())) {
      const why = this.#failure ?? (performance.now() > deadline ? `not ready after ${timeoutMs} ms` : undefined);
      if (why !== undefined) throw new Error(`${why}\n${this.#lastLines()}`);
      await sleep(pollMs);
    }
  }

  /** Why the program ended. Undefined while it runs. */
  get failure(): string | undefined {
    return this.#failure;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.#failure !== undefined) return;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
  }

  #lastLines(): string {
    return readFileSync(this.#logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
  }
}

/** Waits until a condition holds. Throws Error with `what` after the timeout in milliseconds. Returns the time that it took. */
export async function waitFor(
  condition: () => Promise<boolean>,
  timeoutMs: number,
  what: () => string,
): Promise<number> {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > timeoutMs) throw new Error(`after ${timeoutMs} ms: ${what()}`);
    await sleep(pollMs);
  }
  return performance.now() - started;
}

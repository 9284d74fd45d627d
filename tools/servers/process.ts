import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const stopTimeoutMs = 15_000;
const pollMs = 50;

/** The programs that run. They must not keep running when this process exits. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A program in the background, which can be stopped and started again. Its output is appended to a file. */
export class Process {
  readonly #command: readonly string[];
  readonly #logFile: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #failure: string | undefined = 'not started';
  #ended: Promise<void> = Promise.resolve();

  /** Does not start the program. `environment` is added to the environment of this process. */
  constructor(command: readonly string[], logFile: string, environment: Readonly<Record<string, string>> = {}) {
    this.#command = command;
    this.#logFile = logFile;
    this.#environment = environment;
  }

  /** Starts the program. Returns itself. That a program cannot be started is its `failure`. */
  start(): this {
    const [program = '', ...args] = this.#command;
    const log = openSync(this.#logFile, 'a');
    const child = spawn(program, args, {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...this.#environment },
    });
    closeSync(log);
    this.#child = child;
    this.#failure = undefined;
    running.add(child);
    this.#ended = new Promise((resolve) => {
      const end = (failure: string) => {
        this.#failure = failure;
        running.delete(child);
        resolve();
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(`${program} ended with ${signal ?? code}`));
    });
    return this;
  }

  /** Throws Error for a program that could not be started. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.#command[0]} was not started`);
    return this.#child.pid;
  }

  /** Why the program does not run. Undefined while it runs. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  get lastLines(): string {
    return this.log.trimEnd().split('\n').slice(-5).join('\n');
  }

  /**
   * Waits until the condition holds. Returns the milliseconds that it took. Throws Error with the end of the log when the program ends before, or after the
   * timeout in milliseconds.
   */
  async until(condition: () => Promise<boolean>, timeoutMs: number, intervalMs = pollMs): Promise<number> {
    const started = performance.now();
    while (!(await condition())) {
      const isLate = performance.now() - started > timeoutMs;
      const why = this.#failure ?? (isLate ? `${this.#command[0]}: not ready after ${timeoutMs} ms` : undefined);
      if (why !== undefined) throw new Error(`${why}\n${this.lastLines}`);
      await sleep(intervalMs);
    }
    return performance.now() - started;
  }

  /** Ends the program, after 15 seconds with SIGKILL. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.#failure !== undefined) return;
    this.#child?.kill(signal);
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), stopTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Suspends the program, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
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

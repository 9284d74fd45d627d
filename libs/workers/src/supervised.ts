import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { livenessTimes, probeUntilHung, type LivenessProbe, type LivenessTimes } from './liveness.ts';

/** What is supervised, and how. */
export interface SupervisedOptions {
  /** For messages. */
  readonly name: string;
  /** Called for the first process, and for each that takes the place of one that ended. */
  readonly spawn: () => ChildProcess;
  /** The liveness probe. A process that stops responding is killed and restarted. */
  readonly probe?: LivenessProbe;
  readonly liveness?: LivenessTimes;
  /** Called with a one-line message for each restart. */
  readonly onRestart: (text: string) => void;
}

const firstRestartMs = 100;
const maxRestartMs = 5_000;
/** A process that ran and responded for this long is restarted with the shortest delay. */
const stableMs = 10_000;
/** Milliseconds that a hung process gets to stop after SIGTERM. */
const hangGraceMs = 2_000;

/**
 * A child process that is started again when it exits or stops responding. `stop` sends SIGTERM, then SIGKILL. The delay between restarts grows
 * while restarts fail. Before `settle` is called, an exit is final: start-up errors are reported, not retried.
 */
export class Supervised {
  readonly #options: SupervisedOptions;
  readonly #exited = Promise.withResolvers<string>();
  #child: ChildProcess;
  /** Aborts when the current child is no longer probed. */
  #watching = new AbortController();
  #settled = false;
  #stopping = false;
  #startedAt = 0;
  /** The time of the last successful probe of the child. Undefined if there was none. */
  #aliveAt: number | undefined;
  #hang: string | undefined;
  #restartMs = firstRestartMs;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#child = this.#spawn();
  }

  /** The process that runs now. */
  get child(): ChildProcess {
    return this.#child;
  }

  /** Resolves with the reason when the process exits before `settle`. */
  get failedToStart(): Promise<string> {
    return this.#exited.promise;
  }

  /** After the first call, a process that exits or hangs is restarted. `hasResponded`: it has responded already, so its start is over. */
  settle({ hasResponded = false } = {}): void {
    if (this.#settled) return;
    this.#settled = true;
    void this.#watch(this.#child, hasResponded);
  }

  /** `ask` makes the process stop; it is killed when it still runs after `graceMs` milliseconds. */
  async stop(graceMs: number, ask = terminate): Promise<void> {
    this.#stopping = true;
    this.#watching.abort();
    await end(this.#child, graceMs, ask);
  }

  #spawn(): ChildProcess {
    this.#startedAt = Date.now();
    this.#aliveAt = undefined;
    this.#hang = undefined;
    const child = this.#options.spawn();
    child.once('exit', (code, signal) => {
      void this.#onExit(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
    child.on('error', (error) => {
      // A process that could not be created has no exit event: the system lacked resources.
      if (child.pid === undefined) void this.#onExit(error.message);
    });
    return child;
  }

  async #onExit(why: string): Promise<void> {
    this.#watching.abort();
    if (this.#stopping) return;
    if (!this.#settled) {
      this.#exited.resolve(why);
      return;
    }
    const reason = this.#hang ?? `ended (${why})`;
    const doneAt = this.#hang === undefined ? Date.now() : (this.#aliveAt ?? this.#startedAt);
    if (doneAt - this.#startedAt > stableMs) this.#restartMs = firstRestartMs;
    await sleep(this.#restartMs);
    this.#restartMs = Math.min(this.#restartMs * 2, maxRestartMs);
    if (this.#stopping) return;
    this.#child = this.#spawn();
    this.#options.onRestart(`${this.#options.name} ${reason} and was started again`);
    void this.#watch(this.#child);
  }

  /** Ends the child when it stops responding. It is then restarted like a child that exited. */
  async #watch(child: ChildProcess, hasResponded = false): Promise<void> {
    const { name, probe, liveness = livenessTimes, onRestart } = this.#options;
    if (probe === undefined || child.pid === undefined) return;
    const watching = new AbortController();
    this.#watching = watching;
    const onAlive = () => {
      this.#aliveAt = Date.now();
    };
    const problem = await probeUntilHung(probe, liveness, watching.signal, onAlive, hasResponded);
    if (problem === undefined || watching.signal.aborted) return;
    this.#hang = `did not respond (${problem})`;
    onRestart(`${name} does not respond (${problem}): it is being ended`);
    await end(child, hangGraceMs);
  }
}

const terminate = (child: ChildProcess): void => void child.kill('SIGTERM');

/** Asks the process to stop, and sends SIGKILL if it still runs after `graceMs`. SIGKILL also ends a process that is stopped or in an infinite loop. */
async function end(child: ChildProcess, graceMs: number, ask = terminate): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  ask(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

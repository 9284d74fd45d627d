import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { probeUntilHung, livenessTimes, type LivenessProbe, type LivenessTimes } from './liveness.ts';
import { Lines, logEntry } from '../lifecycle/log-entry.ts';
import { LogFile } from './log-file.ts';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the process is a Node program that exits when the channel to its parent closes. */
  readonly channel?: boolean;
  /** Whether its standard output goes to the standard output of this process instead of the log. */
  readonly passesOutput?: boolean;
  /** The liveness probe. A process that stops responding is killed and restarted. */
  readonly probe?: LivenessProbe;
  readonly liveness?: LivenessTimes;
  /** Called with each line of the log. */
  readonly onLine?: (line: string) => unknown;
  /** Called with each message that the process sends through its channel. */
  readonly onMessage?: (message: unknown) => void;
}

const firstRestartMs = 100;
const maxRestartMs = 5_000;
/** A process that ran and responded for this long is restarted with the shortest delay. */
const stableMs = 10_000;
const tailLines = 20;
/** Milliseconds that a hung process gets to stop after SIGTERM. */
const hangGraceMs = 2_000;

/**
 * A child process that is restarted when it exits or stops responding. `stop` sends SIGTERM, then SIGKILL. The delay between restarts grows
 * while restarts fail. Before `settle` is called, an exit is final: start-up errors are reported, not retried.
 */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #log: LogFile;
  readonly #tail: string[] = [];
  readonly #onRestart: (text: string) => void;
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

  /** `onRestart` is called with a one-line message for each restart, and when the log cannot be written. */
  constructor(spec: ProcessSpec, onRestart: (text: string) => void) {
    this.spec = spec;
    this.#onRestart = onRestart;
    this.#log = new LogFile(spec.logFile, onRestart);
    this.#child = this.#spawn();
  }

  get pid(): number | undefined {
    return this.#child.pid;
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

  /** The last lines the process printed. */
  get output(): readonly string[] {
    return this.#tail;
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#watching.abort();
    await end(this.#child, graceMs);
    this.#log.close();
  }

  #spawn(): ChildProcess {
    this.#startedAt = Date.now();
    this.#aliveAt = undefined;
    this.#hang = undefined;
    const child = spawn(this.spec.command, this.spec.args, {
      stdio: [
        'ignore',
        this.spec.passesOutput === true ? 'inherit' : 'pipe',
        'pipe',
        ...(this.spec.channel === true ? (['ipc'] as const) : []),
      ],
      env: { ...process.env, ...this.spec.env },
      // Ctrl-C signals the whole process group. The child has its own group, because the supervisor decides the order in which processes stop.
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#recordAll(stream);
    if (this.spec.onMessage !== undefined) child.on('message', this.spec.onMessage);
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
    this.#onRestart(`${this.spec.name} ${reason} and was started again`);
    void this.#watch(this.#child);
  }

  /** Ends the child when it stops responding. It is then restarted like a child that exited. */
  async #watch(child: ChildProcess, hasResponded = false): Promise<void> {
    const { name, probe, liveness = livenessTimes } = this.spec;
    if (probe === undefined || child.pid === undefined) return;
    const watching = new AbortController();
    this.#watching = watching;
    const onAlive = () => {
      this.#aliveAt = Date.now();
    };
    const problem = await probeUntilHung(probe, liveness, watching.signal, onAlive, hasResponded);
    if (problem === undefined || watching.signal.aborted) return;
    this.#hang = `did not respond (${problem})`;
    this.#onRestart(`${name} does not respond (${problem}): it is being ended`);
    await end(child, hangGraceMs);
  }

  #recordAll(stream: NodeJS.ReadableStream): void {
    const lines = new Lines();
    stream.on('data', (chunk: Buffer) => this.#record(lines.add(chunk)));
    stream.on('end', () => this.#record([lines.end()].filter((line) => line !== '')));
  }

  #record(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const entries = lines.map((line) => logEntry(line, this.spec.name));
    this.#log.write(`${entries.join('\n')}\n`);
    for (const entry of entries) this.spec.onLine?.(entry);
    this.#tail.push(...lines.slice(-tailLines));
    this.#tail.splice(0, Math.max(0, this.#tail.length - tailLines));
  }
}

/** Sends SIGTERM, then SIGKILL if the process still runs after `graceMs`. SIGKILL also ends a process that is stopped or in an infinite loop. */
async function end(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

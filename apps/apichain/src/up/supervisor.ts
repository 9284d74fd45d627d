import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
  /** A Node program that ends when the channel to its parent closes. */
  readonly channel?: boolean;
  /** What it writes to its standard output goes to ours, not to the log. */
  readonly passesOutput?: boolean;
}

const firstRestartMs = 100;
const maxRestartMs = 5_000;
/** A process that lived this long restarts without delay when it dies. */
const stableMs = 10_000;
const tailLines = 20;

/**
 * One child process that is started again when it ends by itself, and stopped with SIGTERM, then SIGKILL.
 * Until `settle` is called an exit is final: start-up errors are reported, not retried.
 */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #log: WriteStream;
  readonly #tail: string[] = [];
  readonly #onRestart: (text: string) => void;
  readonly #exited = Promise.withResolvers<string>();
  #child: ChildProcess;
  #settled = false;
  #stopping = false;
  #startedAt = 0;
  #restartMs = firstRestartMs;

  constructor(spec: ProcessSpec, onRestart: (text: string) => void) {
    this.spec = spec;
    this.#onRestart = onRestart;
    this.#log = createWriteStream(spec.logFile, { flags: 'a', mode: 0o600 });
    this.#child = this.#spawn();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves with why, when the process ends before `settle`. */
  get failedToStart(): Promise<string> {
    return this.#exited.promise;
  }

  /** From now on an exit is an accident that a restart mends. */
  settle(): void {
    this.#settled = true;
  }

  /** The last lines the process printed. */
  get output(): readonly string[] {
    return this.#tail;
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const timer = new AbortController();
      await Promise.race([
        ended,
        sleep(graceMs, undefined, { signal: timer.signal }).then(
          () => child.kill('SIGKILL'),
          () => false,
        ),
      ]);
      await ended;
      timer.abort();
    }
    await new Promise<void>((resolve) => this.#log.end(resolve));
  }

  #spawn(): ChildProcess {
    this.#startedAt = Date.now();
    const child = spawn(this.spec.command, this.spec.args, {
      stdio: [
        'ignore',
        this.spec.passesOutput === true ? 'inherit' : 'pipe',
        'pipe',
        ...(this.spec.channel === true ? (['ipc'] as const) : []),
      ],
      env: { ...process.env, ...this.spec.env },
      // Ctrl-C reaches the whole process group: the supervisor alone decides the order in which things stop.
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.#record(chunk));
    child.once('error', (error) => this.#exited.resolve(error.message));
    child.once('exit', (code, signal) => void this.#onExit(code, signal));
    return child;
  }

  async #onExit(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const why = signal === null ? `exit code ${code}` : `signal ${signal}`;
    if (this.#stopping) return;
    if (!this.#settled) {
      this.#exited.resolve(why);
      return;
    }
    if (Date.now() - this.#startedAt > stableMs) this.#restartMs = firstRestartMs;
    await sleep(this.#restartMs);
    this.#restartMs = Math.min(this.#restartMs * 2, maxRestartMs);
    if (this.#stopping) return;
    this.#child = this.#spawn();
    this.#onRestart(`${this.spec.name} ended (${why}) and was started again`);
  }

  #record(chunk: Buffer): void {
    if (!this.#log.writableEnded) this.#log.write(chunk);
    for (const line of chunk.toString('utf8').split('\n')) if (line.trim() !== '') this.#tail.push(line);
    this.#tail.splice(0, Math.max(0, this.#tail.length - tailLines));
  }
}

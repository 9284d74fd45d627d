import { spawn, type ChildProcess } from 'node:child_process';
import { Supervised, type LivenessProbe, type LivenessTimes } from '@apichain/workers';
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

const tailLines = 20;
const askTimeoutMs = 1_000;

/**
 * A program of the chain that is started again when it exits or stops responding, and whose output goes to a log. Before `settle` is called, an exit
 * is final: start-up errors are reported, not retried.
 */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #log: LogFile;
  readonly #tail: string[] = [];
  readonly #supervised: Supervised;

  /** `onRestart` is called with a one-line message for each restart, and when the log cannot be written. */
  constructor(spec: ProcessSpec, onRestart: (text: string) => void) {
    this.spec = spec;
    this.#log = new LogFile(spec.logFile, onRestart);
    const { name, probe, liveness } = spec;
    this.#supervised = new Supervised({ name, probe, liveness, onRestart, spawn: () => this.#spawn() });
  }

  get pid(): number | undefined {
    return this.#supervised.child.pid;
  }

  /** Resolves with the reason when the process exits before `settle`. */
  get failedToStart(): Promise<string> {
    return this.#supervised.failedToStart;
  }

  /** After the first call, a process that exits or hangs is restarted. `hasResponded`: it has responded already, so its start is over. */
  settle(state?: { readonly hasResponded: boolean }): void {
    this.#supervised.settle(state);
  }

  /** The last lines the process printed. */
  get output(): readonly string[] {
    return this.#tail;
  }

  /** Sends a message through the channel. Resolves with the next one from there; undefined when none comes in a second. */
  ask(message: string): Promise<unknown> {
    const { child } = this.#supervised;
    return new Promise((resolve) => {
      const end = (response?: unknown) => {
        clearTimeout(timer);
        child.off('message', end);
        child.off('exit', absent);
        resolve(response);
      };
      const absent = () => end();
      const timer = setTimeout(absent, askTimeoutMs);
      child.on('message', end);
      child.on('exit', absent);
      // A process that ends has closed the channel.
      if (child.connected) child.send(message, (error) => error !== null && absent());
      else absent();
    });
  }

  /** Sends SIGTERM, then SIGKILL if the process still runs after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    await this.#supervised.stop(graceMs);
    this.#log.close();
  }

  #spawn(): ChildProcess {
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
    return child;
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

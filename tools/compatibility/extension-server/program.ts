import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const stopTimeoutMs = 20_000;

/** A program in the background. Its output goes to a file. */
export class Program {
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #ended: Promise<unknown>;

  constructor(command: readonly string[], logFile: string) {
    const [program = '', ...args] = command;
    const log = openSync(logFile, 'a');
    this.#logFile = logFile;
    this.#child = spawn(program, args, { stdio: ['ignore', log, log] });
    closeSync(log);
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', resolve);
      this.#child.once('exit', resolve);
    });
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined;
  }

  /** Throws Error with the end of the log if the program has ended. */
  check(): void {
    if (this.hasEnded) throw new Error(`a program has ended:\n${readFileSync(this.#logFile, 'utf8').slice(-2000)}`);
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
  }
}

export interface Output {
  readonly code: number | null;
  readonly text: string;
}

/** Runs a program to its end; after `timeoutMs` it is terminated. The text is standard output, then standard error. */
export async function runProgram(command: readonly string[], input = '', timeoutMs = 60_000): Promise<Output> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  child.stdin.end(input);
  const timer = setTimeout(() => child.kill('SIGTERM'), timeoutMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(timer);
  return { code, text: stdout + stderr };
}

/** Throws Error with `what` if the condition does not hold after 60 s. A condition that throws does not hold. */
export async function until(condition: () => Promise<boolean>, what: () => string): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await condition().catch(() => false)); await sleep(100))
    if (Date.now() > deadline) throw new Error(`not within 60 s: ${what()}`);
}

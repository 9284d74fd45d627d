import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../chain.ts';

/** Much more than any block needs on a machine of its own. */
const timeLimitMs = 240_000;

/** What a block of commands printed to both streams, and whether one of its commands failed. */
export interface BlockResult {
  readonly output: string;
  readonly failed: boolean;
}

/** A block that keeps running, in a process group of its own. */
interface Job {
  readonly processGroup: number;
  readonly output: string;
}

/** A bash in a folder, which runs blocks of commands one after the other, as a person would in a terminal. Variables stay from block to block. */
export class Terminal {
  readonly #bash: ChildProcess;
  readonly #scratch: string;
  readonly #exited: Promise<unknown>;
  readonly #jobs: Job[] = [];
  #folder: string;
  #printed = '';
  #blocks = 0;

  /** `scratch` is another folder, for scripts and outputs. */
  constructor(folder: string, scratch: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#scratch = scratch;
    // A process group of its own: what still runs at the end is ended with it.
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#bash.stdout?.on('data', (chunk: Buffer) => (this.#printed += chunk.toString('utf8')));
    this.#exited = new Promise((resolve) => this.#bash.once('close', resolve));
    this.#type("shopt -s expand_aliases; set -E; trap 'block_failed=1' ERR");
  }

  /** The folder in which the last block that was run has ended. */
  get folder(): string {
    return this.#folder;
  }

  /** Runs a block and waits for its end. Throws Error with the output when that takes longer than four minutes. */
  async run(commands: string): Promise<BlockResult> {
    const { script, output } = this.#script(commands);
    const read = () => readFileSync(output, 'utf8');
    const result = await this.#ask(
      `block_failed=0; source ${script} </dev/null >${output} 2>&1; echo "RESULT: $block_failed $PWD"`,
      read,
    );
    const [failed, ...folder] = result.split(' ');
    if (failed !== undefined && folder.length > 0) this.#folder = folder.join(' ');
    return { output: read(), failed: failed !== '0' };
  }

  /** Starts a block that runs until the end of the page, or until `interrupt`. Waits until it has printed a text that matches. */
  async start(commands: string, isReady: RegExp): Promise<void> {
    const { script, output } = this.#script(commands);
    // Job control gives it a process group of its own, which gets the signal of Ctrl-C.
    const started = `set -m; source ${script} </dev/null >${output} 2>&1 & set +m; echo "RESULT: $!"`;
    this.#jobs.push({ processGroup: Number(await this.#ask(started, () => 'the block was not started')), output });
    await this.prints(isReady);
  }

  /** Ends the blocks in the background as with Ctrl-C, the last one first, and waits for them. Returns what the last one printed. */
  async interrupt(): Promise<string> {
    const output = this.backgroundOutput();
    for (const { processGroup, output: file } of this.#jobs.splice(0).reverse())
      await this.#ask(`kill -INT -- -${processGroup}; wait ${processGroup}; echo "RESULT: $?"`, () =>
        readFileSync(file, 'utf8'),
      );
    return output;
  }

  /** Waits until the block that was started last has printed a text that matches, after the given number of characters. */
  async prints(pattern: RegExp, after = 0): Promise<void> {
    const problem = (what: string) => `${what} ${String(pattern)}:\n${this.backgroundOutput().slice(after)}`;
    const job = this.#jobs.at(-1);
    await waitFor(
      () => {
        const hasEnded = job === undefined || !isRunning(job.processGroup);
        if (pattern.test(this.backgroundOutput().slice(after))) return true;
        if (hasEnded) throw new Error(problem('the block ended without'));
        return false;
      },
      timeLimitMs,
      () => problem('nothing matches'),
    );
  }

  /** What the block that was started last has printed. */
  backgroundOutput(): string {
    const last = this.#jobs.at(-1);
    return last === undefined ? '' : readFileSync(last.output, 'utf8');
  }

  /** Ends everything that runs, and waits until it has ended. Throws Error when something does not end in half a minute. */
  async end(): Promise<void> {
    const groups = this.#jobs.splice(0).map(({ processGroup }) => processGroup);
    if (this.#bash.pid !== undefined && this.#bash.exitCode === null) groups.push(this.#bash.pid);
    for (const group of groups) signalGroup(group, 'SIGTERM');
    // Bash ends by a signal only when the command in the foreground has ended.
    this.#bash.stdin?.end();
    await this.#exited;
    await waitFor(
      () => !groups.some(isRunning),
      30_000,
      () => `process groups still run: ${groups.filter(isRunning).join(', ')}`,
    );
  }

  /** Types a line that prints `RESULT: ...`, and waits for what stands there. Empty when the shell has ended. */
  async #ask(line: string, what: () => string): Promise<string> {
    const label = `result ${++this.#blocks}`;
    this.#type(line.replace('RESULT', label));
    const pattern = new RegExp(`^${label}: (.*)\\n`, 'm');
    await waitFor(() => pattern.test(this.#printed) || this.#bash.exitCode !== null, timeLimitMs, what);
    return pattern.exec(this.#printed)?.[1] ?? '';
  }

  #script(commands: string): { script: string; output: string } {
    const name = join(this.#scratch, String(++this.#blocks));
    const [script, output] = [`${name}.sh`, `${name}.out`];
    writeFileSync(script, commands);
    if (!existsSync(output)) closeSync(openSync(output, 'w'));
    return { script, output };
  }

  #type(line: string): void {
    this.#bash.stdin?.write(`${line}\n`);
  }
}

const isRunning = (group: number): boolean => signalGroup(group, 0);

/** Returns whether the group has a process. */
function signalGroup(group: number, signal: 'SIGTERM' | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

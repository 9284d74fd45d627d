import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../chain.ts';

const timeLimitMs = 60_000;

/** What a block of commands printed to both streams, and whether one of its commands failed. */
export interface BlockResult {
  readonly output: string;
  readonly failed: boolean;
}

/** A bash in a folder, which runs blocks of commands one after the other, as a person would in a terminal. Variables stay from block to block. */
export class Terminal {
  readonly #bash: ChildProcess;
  readonly #scratch: string;
  readonly #exited: Promise<unknown>;
  readonly #background: string[] = [];
  #answers = '';
  #blocks = 0;

  /** `scratch` is another folder, for scripts and outputs. */
  constructor(folder: string, scratch: string, env: NodeJS.ProcessEnv) {
    this.#scratch = scratch;
    // A process group of its own: what still runs at the end is ended with it.
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#bash.stdout?.on('data', (chunk: Buffer) => (this.#answers += chunk.toString('utf8')));
    this.#exited = new Promise((resolve) => this.#bash.once('close', resolve));
    this.#type("set -E; trap 'block_failed=1' ERR");
  }

  /** Runs a block and waits for its end. Throws Error with the output when that takes longer than a minute. */
  async run(commands: string): Promise<BlockResult> {
    const { script, output } = this.#script(commands);
    const read = () => readFileSync(output, 'utf8');
    const done = `block ${this.#blocks} ended`;
    this.#type(`block_failed=0; source ${script} </dev/null >${output} 2>&1; echo "${done}: $block_failed"`);
    await waitFor(() => this.#answers.includes(`${done}: `) || this.#bash.exitCode !== null, timeLimitMs, read);
    return { output: read(), failed: !this.#answers.includes(`${done}: 0`) };
  }

  /** Starts a block that runs until the end of the page. Waits until it has printed a text that matches. */
  async start(commands: string, isReady: RegExp): Promise<void> {
    const { script, output } = this.#script(commands);
    this.#background.push(output);
    this.#type(`source ${script} </dev/null >${output} 2>&1 &`);
    await this.prints(isReady);
  }

  /** Waits until the blocks in the background have printed a text that matches, after the given number of characters. */
  async prints(pattern: RegExp, after = 0): Promise<void> {
    await waitFor(
      () => pattern.test(this.backgroundOutput().slice(after)),
      timeLimitMs,
      () => `nothing matches ${String(pattern)} in:\n${this.backgroundOutput().slice(after)}`,
    );
  }

  /** What the block that was started last has printed. */
  backgroundOutput(): string {
    return this.#background
      .slice(-1)
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
  }

  async end(): Promise<void> {
    if (this.#bash.pid !== undefined && this.#bash.exitCode === null) process.kill(-this.#bash.pid, 'SIGTERM');
    // Bash ends by a signal only when the command in the foreground has ended.
    this.#bash.stdin?.end();
    await this.#exited;
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

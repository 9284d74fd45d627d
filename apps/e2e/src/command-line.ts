import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository, waitFor } from './chain.ts';

/** What a command printed, and its exit code. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `apichain ...` and waits for its exit. */
export async function apichain(...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [join(repository, 'apps/apichain/src/main.ts'), ...args], { cwd: repository });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

/** Runs a command that succeeds. Returns its standard output. */
export async function succeeds(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await apichain(...args);
  assert.equal(code, 0, `${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

/** Runs a command that fails with one line on standard error. Returns its standard output. */
export async function failsWith(pattern: RegExp, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await apichain(...args);
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, pattern);
  assert.equal(withoutProgress(stderr).length, 1, stderr);
  return stdout;
}

/** A command that runs until it is interrupted. */
interface Background {
  /** Waits until it has printed this. Returns the first group of the pattern. */
  says(pattern: RegExp): Promise<string>;
  interrupt(): Promise<void>;
}

/** Runs `apichain ...` beside the test. */
export function background(...args: string[]): Background {
  const child = spawn(process.execPath, [join(repository, 'apps/apichain/src/main.ts'), ...args], { cwd: repository });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return {
    says: async (pattern) => {
      await waitFor(
        () => pattern.test(output) || child.exitCode !== null,
        60_000,
        () => `${args.join(' ')} does not print ${String(pattern)}:\n${output}`,
      );
      const found = pattern.exec(output)?.[1];
      assert.ok(found !== undefined, output);
      return found;
    },
    interrupt: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}

/** The lines of an output without those that tell from time to time what a start on a slow machine waits for. */
export const withoutProgress = (output: string): string[] =>
  output.split('\n').filter((line) => line !== '' && !/ \.\.\. \d{1,4} s$/.test(line));

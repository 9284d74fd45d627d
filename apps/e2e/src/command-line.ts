import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from './chain.ts';

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

/** The lines of an output without those that tell from time to time what a start on a slow machine waits for. */
export const withoutProgress = (output: string): string[] =>
  output.split('\n').filter((line) => line !== '' && !/ \.\.\. \d{1,4} s$/.test(line));

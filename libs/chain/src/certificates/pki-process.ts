import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileCacheEnvironment } from '../compile-cache.ts';
import type { PkiOptions } from './pki-options.ts';

const timeoutMs = 60_000;

/**
 * Makes the certificates in a process of its own, whose memory is free again when it ends. Resolves to whether that succeeded. It does not in a
 * program that is a single file, with a Node that may not start processes, or where a file cannot be used: the caller then makes them itself, and
 * gets the error that says why.
 */
export async function makeInOwnProcess(options: PkiOptions): Promise<boolean> {
  const program = programFile();
  // A program in Electron would start itself again.
  if (program === undefined || process.versions['electron'] !== undefined) return false;
  // Options of this process, such as the port of a debugger, are not for the other one.
  const env = { ...process.env, ...compileCacheEnvironment(), NODE_OPTIONS: '' };
  try {
    await promisify(execFile)(process.execPath, [program, JSON.stringify(options)], { timeout: timeoutMs, env });
    return true;
  } catch {
    return false;
  }
}

/** Beside this file: `pki-program.js` in the published package, `pki-program.ts` among the sources. */
const programFile = (): string | undefined =>
  ['pki-program.js', 'pki-program.ts'].map((name) => join(import.meta.dirname, name)).find((file) => existsSync(file));

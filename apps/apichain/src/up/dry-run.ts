import { execFile } from 'node:child_process';
import { StartupError } from '@apichain/chain/setup';

/** Runs `apichain up --dry-run` with these arguments in a process of its own. Throws StartupError with the line that it prints when it fails. */
export function dryRun(args: readonly string[]): Promise<void> {
  const [, program = ''] = process.argv;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...process.execArgv, program, 'up', ...args, '--dry-run'], (error, _, stderr) => {
      if (error === null) return resolve();
      const line = stderr.trim().split('\n').at(-1) ?? '';
      const problem: Error = line === '' ? error : new StartupError(line.replace(/^apichain: /, ''));
      reject(problem);
    });
  });
}

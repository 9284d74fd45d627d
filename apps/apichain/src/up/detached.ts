import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '@apichain/chain/setup';
import { isRecord } from '@apichain/meta';
import { shown } from '../terminal/color.ts';
import { withProgress } from '../terminal/progress.ts';
import { parseLogLine } from '../lifecycle/log-line.ts';
import { createDataDirectory, refuseTaken } from './data-directory.ts';
import type { UpOptions } from './options.ts';

/** What the process of a chain in the background sends once the chain is ready: the lines that `apichain up` prints. */
export interface ReadyMessage {
  readonly ready: readonly string[];
}

/** They end a chain that is starting. One that is ready runs on. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A chain that is starting stops in this time or is killed. It is more than the time that it gives its own parts. */
const mostStopMs = 40_000;

/**
 * Starts `apichain up` in a process of its own, which does not end with this one or its terminal, and waits until the chain is ready. What the
 * process prints is in up.log among the logs. Throws StartupError with its last line when it does not start.
 */
export async function startDetached(args: readonly string[], { dataDir, name }: UpOptions): Promise<void> {
  refuseTaken(dataDir);
  const logFile = join(createDataDirectory(dataDir), 'up.log');
  // What another process writes to the log is not lost if it has started a chain on the directory in the meantime.
  const log = openSync(logFile, 'a', 0o600);
  const begin = fstatSync(log).size;
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, 'up', ...args, '--detach=false'], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const ready = new Promise<readonly string[]>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new StartupError(code === 0 ? 'the chain was stopped before it was ready' : lastLine(logFile, begin))),
    );
    child.on('message', (message) => {
      if (isReadyMessage(message)) resolve(message.ready);
    });
  });
  let late: NodeJS.Timeout | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    child.kill(signal);
    late ??= setTimeout(() => child.kill('SIGKILL'), mostStopMs);
  };
  for (const signal of signals) process.on(signal, interrupt);
  let lines: readonly string[];
  try {
    lines = await withProgress(() => 'starting the chain', ready);
  } finally {
    clearTimeout(late);
    for (const signal of signals) process.off(signal, interrupt);
  }
  child.disconnect();
  child.unref();
  for (const [index, line] of lines.entries()) console.log(index === 0 ? shown(line, 'success') : line);
  const which = name === undefined ? `--data-dir ${dataDir}` : `--name ${name}`;
  console.log(`it runs in the background: apichain status, logs and down, each with ${which}`);
}

function isReadyMessage(message: unknown): message is ReadyMessage {
  return isRecord(message) && Array.isArray(message['ready']);
}

/** The reason of a failed start: what was printed last, after the first `begin` bytes of the log, without the name of the process. */
function lastLine(logFile: string, begin: number): string {
  const text = readFileSync(logFile).subarray(begin).toString('utf8').trim().split('\n').at(-1) ?? '';
  const { entry } = parseLogLine(text, 'up');
  const line = typeof entry?.['msg'] === 'string' ? entry['msg'] : text;
  return line === '' ? `the chain did not start: see ${logFile}` : line.replace(/^apichain: /, '');
}

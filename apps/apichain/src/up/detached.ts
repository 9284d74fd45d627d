import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '@apichain/chain/setup';
import { isRecord } from '@apichain/meta';
import { withProgress } from '../terminal/progress.ts';
import { parseLogLine } from '../lifecycle/log-line.ts';
import { createDataDirectory } from './data-directory.ts';
import type { UpOptions } from './options.ts';

/** What the process of a chain in the background sends once the chain is ready: the lines that `apichain up` prints. */
export interface ReadyMessage {
  readonly ready: readonly string[];
}

/** They end a chain that is starting. One that is ready runs on. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts `apichain up` in a process of its own, which does not end with this one or its terminal, and waits until the chain is ready. What the
 * process prints is in up.log among the logs. Throws StartupError with its last line when it does not start.
 */
export async function startDetached(args: readonly string[], { dataDir, name }: UpOptions): Promise<void> {
  const logFile = join(createDataDirectory(dataDir), 'up.log');
  const log = openSync(logFile, 'w', 0o600);
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, 'up', ...args, '--detach=false'], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const ready = new Promise<readonly string[]>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new StartupError(code === 0 ? 'the chain was stopped before it was ready' : lastLine(logFile))),
    );
    child.on('message', (message) => {
      if (isReadyMessage(message)) resolve(message.ready);
    });
  });
  const interrupt = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of signals) process.on(signal, interrupt);
  const lines = await withProgress(() => 'starting the chain', ready);
  for (const signal of signals) process.off(signal, interrupt);
  child.disconnect();
  child.unref();
  for (const line of lines) console.log(line);
  const which = name === undefined ? `--data-dir ${dataDir}` : `--name ${name}`;
  console.log(`it runs in the background: apichain status, logs and down, each with ${which}`);
}

function isReadyMessage(message: unknown): message is ReadyMessage {
  return isRecord(message) && Array.isArray(message['ready']);
}

/** The reason of a failed start: what the process printed last, without its name. */
function lastLine(logFile: string): string {
  const text = readFileSync(logFile, 'utf8').trim().split('\n').at(-1) ?? '';
  const { entry } = parseLogLine(text, 'up');
  const line = typeof entry?.['msg'] === 'string' ? entry['msg'] : text;
  return line === '' ? `the chain did not start: see ${logFile}` : line.replace(/^apichain: /, '');
}

import { errorMessage } from '@apichain/meta';
import { formatLogLine, type LogLine } from '../lifecycle/log-line.ts';
import { Logs } from '../lifecycle/logs.ts';
import { isColored } from '../terminal/color.ts';
import { readKeys } from '../terminal/keys.ts';
import type { DataDirectory } from './data-directory.ts';

/** What the user wants a running chain to do. */
export type NextStep = 'restart' | 'quit';

const pollMs = 200;
const shownAtFirst = 20;

/**
 * Lets the user of a terminal control a chain that is ready, by keys. Resolves when the user wants to quit or to restart; never where no keys can be read. `signal` gives
 * the terminal back. `newConsoleUrl` makes a URL that opens the console once; undefined: the console is off.
 */
export function attend(
  directory: DataDirectory,
  newConsoleUrl: (() => Promise<string>) | undefined,
  signal: AbortSignal,
): Promise<NextStep> {
  return new Promise((resolve) => {
    const logs = new ShownLogs(directory.logs);
    const release = readKeys({
      r: () => resolve('restart'),
      q: () => resolve('quit'),
      l: () => logs.toggle(),
      o: () => void printConsole(newConsoleUrl),
      h: help,
      '?': help,
    });
    if (release === undefined) return;
    signal.addEventListener('abort', () => {
      logs.hide();
      release();
    });
    help();
  });
}

async function printConsole(newConsoleUrl: (() => Promise<string>) | undefined): Promise<void> {
  if (newConsoleUrl === undefined) return console.log('console: it is off; start the chain with --console');
  try {
    console.log(`console: ${await newConsoleUrl()}`);
  } catch (error) {
    console.log(`console: ${errorMessage(error)}`);
  }
}

const help = (): void => console.log('keys: r restart, l logs, o open the console, q quit');

/** Prints what the services log, from the last lines on, while the user wants to see it. */
class ShownLogs {
  readonly #folder: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  toggle(): void {
    if (this.#timer !== undefined) {
      this.hide();
      console.log('logs: off');
      return;
    }
    const logs = new Logs(this.#folder, undefined);
    const print = (lines: readonly LogLine[]) => {
      for (const line of lines) console.log(formatLogLine(line, logs.width, isColored(process.stdout)));
    };
    print(logs.last(shownAtFirst));
    this.#timer = setInterval(() => print(logs.next()), pollMs);
  }

  hide(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

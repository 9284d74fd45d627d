import { errorMessage } from '@apichain/meta';
import { formatLogLine, type LogLine } from '../lifecycle/log-line.ts';
import { Logs } from '../lifecycle/logs.ts';
import { isColored } from '../terminal/color.ts';
import { readKeys } from '../terminal/keys.ts';
import type { UpChain } from './chain.ts';
import type { DataDirectory } from './data-directory.ts';
import type { UpOptions } from './options.ts';
import { printLine } from './say.ts';
import { ShownStatus, showsStatus } from './shown-status.ts';

/** What the user wants a running chain to do. */
export type NextStep = 'restart' | 'quit';

const pollMs = 200;
const shownAtFirst = 20;

/** What the user of a terminal controls. */
interface Attended {
  readonly directory: DataDirectory;
  readonly chain: UpChain;
  readonly options: UpOptions;
  /** Makes a URL that opens the console once. Undefined: the console is off. */
  readonly newConsoleUrl: (() => Promise<string>) | undefined;
}

/**
 * Lets the user of a terminal control a chain that is ready, by keys, and shows its status there. Resolves when the user wants to quit or to restart;
 * never where no keys can be read. `signal` gives the terminal back.
 */
export function attend({ directory, chain, options, newConsoleUrl }: Attended, signal: AbortSignal): Promise<NextStep> {
  return new Promise((resolve) => {
    const logs = new ShownLogs(directory.logs);
    const status = showsStatus(options) ? new ShownStatus(chain, options) : undefined;
    const release = readKeys(
      {
        r: () => resolve('restart'),
        q: () => resolve('quit'),
        l: () => logs.toggle(),
        o: () => void printConsole(newConsoleUrl),
        h: help,
        '?': help,
      },
      { onSuspend: () => status?.pause(), onResume: () => status?.start() },
    );
    if (release === undefined) return status?.close();
    signal.addEventListener('abort', () => {
      logs.hide();
      status?.close();
      release();
    });
    help();
    status?.start();
  });
}

async function printConsole(newConsoleUrl: (() => Promise<string>) | undefined): Promise<void> {
  if (newConsoleUrl === undefined) return printLine('console: it is off; start the chain with --console');
  try {
    printLine(`console: ${await newConsoleUrl()}`);
  } catch (error) {
    printLine(`console: ${errorMessage(error)}`);
  }
}

const help = (): void => printLine('keys: r restart, l logs, o open the console, q quit');

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
      printLine('logs: off');
      return;
    }
    const logs = new Logs(this.#folder, undefined);
    const print = (lines: readonly LogLine[]) => {
      for (const line of lines) printLine(formatLogLine(line, logs.width, isColored(process.stdout)));
    };
    print(logs.last(shownAtFirst));
    this.#timer = setInterval(() => print(logs.next()), pollMs);
  }

  hide(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

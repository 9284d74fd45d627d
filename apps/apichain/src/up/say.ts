import { logEntry } from '../lifecycle/log-entry.ts';
import { type Meaning, shown } from '../terminal/color.ts';
import { clearProgress, type ProgressOutput } from '../terminal/progress.ts';
import type { StatusLine } from '../terminal/status-line.ts';

/** Whether `apichain up --detach` started this process. Its output is then a log file, and what it prints are entries of it. */
export const isInBackground = (): boolean => process.send !== undefined;

let statusLine: StatusLine | undefined;

/** Lets everything that is printed scroll above a status line. */
export function printAbove(line: StatusLine | undefined): void {
  statusLine = line;
}

function above(print: () => void): void {
  clearProgress();
  if (statusLine === undefined) print();
  else statusLine.above(print);
}

/** Prints a line to the terminal of the user. */
export const printLine = (text: string): void => above(() => console.log(text));

/** Prints a line about the chain, for the user. */
export function say(text: string, meaning?: Meaning): void {
  printLine(isInBackground() ? logEntry(text, 'up') : meaning === undefined ? text : shown(text, meaning));
}

/** Where the progress of `apichain up` is shown: on the terminal, or as entries of the log file. */
export const progressOutput = (): ProgressOutput =>
  isInBackground() ? { write: (text) => say(text.trimEnd().replace(/^apichain: /, '')) } : process.stderr;

/** Prints a problem that does not end the chain, or the command. */
export const warn = (text: string): void => print(40, 'warning', text);

/** Prints why the command ends. */
export const fail = (text: string): void => print(50, 'failure', text);

function print(level: number, meaning: Meaning, text: string): void {
  const line = isInBackground() ? entryOf(level, text) : shown(`apichain: ${text}`, meaning, process.stderr);
  above(() => console.error(line));
}

const entryOf = (level: number, msg: string): string => JSON.stringify({ level, time: Date.now(), name: 'up', msg });

import { logEntry } from '../lifecycle/log-entry.ts';
import type { ProgressOutput } from '../terminal/progress.ts';

/** Whether `apichain up --detach` started this process. Its output is then a log file, and what it prints are entries of it. */
export const isInBackground = (): boolean => process.send !== undefined;

/** Prints a line about the chain, for the user. */
export function say(text: string): void {
  console.log(isInBackground() ? logEntry(text, 'up') : text);
}

/** Where the progress of `apichain up` is shown: on the terminal, or as entries of the log file. */
export const progressOutput = (): ProgressOutput =>
  isInBackground() ? { write: (text) => say(text.trimEnd().replace(/^apichain: /, '')) } : process.stderr;

/** Prints a problem that does not end the chain. */
export const warn = (text: string): void => print(40, text);

/** Prints why the command ends. */
export const fail = (text: string): void => print(50, text);

const print = (level: number, text: string): void =>
  console.error(isInBackground() ? entryOf(level, text) : `apichain: ${text}`);

const entryOf = (level: number, msg: string): string => JSON.stringify({ level, time: Date.now(), name: 'up', msg });

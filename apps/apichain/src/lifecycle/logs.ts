import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseLogLine, type LogLine } from './log-line.ts';
import { Tail } from './tail.ts';

const suffix = '.log';

/** The log files of a chain as one log, in the order of time. */
export class Logs {
  readonly #folder: string;
  readonly #service: string | undefined;
  readonly #tails = new Map<string, Tail>();
  /** The width of the column of services. */
  width = 0;

  /** `service` selects the lines of a service, whether it has a process of its own or not. */
  constructor(folder: string, service: string | undefined) {
    this.#folder = folder;
    this.#service = service;
  }

  last(count: number): LogLine[] {
    this.#find();
    // All that was read, because lines of other services do not count.
    const lines = this.#ordered([...this.#tails].map(([file, tail]) => [file, tail.last()]));
    return lines.slice(Math.max(0, lines.length - count));
  }

  next(): LogLine[] {
    this.#find();
    return this.#ordered([...this.#tails].map(([file, tail]) => [file, tail.next()]));
  }

  /** Why there is nothing to print. */
  absence(): string {
    const files = [...this.#tails.keys()];
    if (files.length === 0) return `${this.#folder} holds no logs: start the chain with apichain up`;
    return this.#service === undefined
      ? `the logs in ${this.#folder} are empty`
      : `the logs in ${this.#folder} have no line of ${this.#service} (files: ${files.join(', ')})`;
  }

  /** A file may be added by a restart. */
  #find(): void {
    if (!existsSync(this.#folder)) return;
    for (const name of readdirSync(this.#folder)) {
      if (!name.endsWith(suffix)) continue;
      const file = name.slice(0, -suffix.length);
      if (!this.#tails.has(file)) this.#tails.set(file, new Tail(join(this.#folder, name)));
    }
  }

  #ordered(read: readonly (readonly [file: string, texts: readonly string[]])[]): LogLine[] {
    const lines: (LogLine & { at: number })[] = [];
    for (const [file, texts] of read) {
      // A line that is no entry, such as one of a stack, belongs to the entry before it.
      let at = 0;
      for (const text of texts) {
        const line = parseLogLine(text, file);
        at = line.time ?? at;
        if (this.#service === undefined || this.#service === line.service || this.#service === file)
          lines.push({ ...line, at });
      }
    }
    for (const { service } of lines) this.width = Math.max(this.width, service.length);
    return lines.sort((a, b) => a.at - b.at);
  }
}

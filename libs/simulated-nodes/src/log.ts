import { BoundedCache, errorMessage } from '@apichain/meta';

/** Receives one line for each message. */
export interface Logger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Discards everything. */
export const silentLogger: Logger = { info: () => undefined, error: () => undefined };

/** The message of an error, in one line. */
export const errorText = (error: unknown): string => oneLine(errorMessage(error));

/** Logs errors of the same words once, so that a stage that fails for 10,000 objects is one line. */
export class OnceLogger {
  readonly #log: Logger;
  readonly #logged = new BoundedCache<true>({ maxEntries: 1_000 });

  constructor(log: Logger) {
    this.#log = log;
  }

  error(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (this.#logged.has(message)) return;
    this.#logged.set(message, true);
    this.#log.error(message, fields);
  }
}

/** A text of several lines as one. */
export const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ');

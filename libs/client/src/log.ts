import { errorMessage } from '@apichain/meta';

/** Details of a message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a client of the API says what it does and what fails. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Discards everything. */
export const silentLogger: Logger = { info: () => undefined, error: () => undefined };

/** The message of an error, in one line. */
export const errorText = (error: unknown): string => errorMessage(error).replaceAll('\n', ' ');

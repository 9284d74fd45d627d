import { errorMessage } from '@apichain/meta';

/** Details of a message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a client of the API says what it does and what fails. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** As pino numbers them. */
const levels = { info: 30, error: 50 } as const;

/** A logger that writes one line of JSON for each message, in the format of the chain's services. */
export function jsonLogger(name: string, write: (line: string) => void): Logger {
  const log = (level: number) => (message: string, fields?: LogFields) =>
    write(`${JSON.stringify({ level, time: Date.now(), name, msg: message, ...fields })}\n`);
  return { info: log(levels.info), error: log(levels.error) };
}

/** Discards everything. */
export const silentLogger: Logger = { info: () => undefined, error: () => undefined };

/** The message of an error, in one line. */
export const errorText = (error: unknown): string => errorMessage(error).replaceAll('\n', ' ');

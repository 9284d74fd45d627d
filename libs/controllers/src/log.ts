import type { LogFields, Logger } from '@apichain/client';

/** As pino numbers them. */
const levels = { info: 30, error: 50 } as const;

/** A logger that writes one line of JSON for each message, in the format of the chain's services. */
export function jsonLogger(name: string, write: (line: string) => void): Logger {
  const log = (level: number) => (message: string, fields?: LogFields) =>
    write(`${JSON.stringify({ level, time: Date.now(), name, msg: message, ...fields })}\n`);
  return { info: log(levels.info), error: log(levels.error) };
}

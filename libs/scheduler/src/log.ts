/** Where the scheduler says what it does and what fails. */
export interface Logger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = { info: () => undefined, error: () => undefined };

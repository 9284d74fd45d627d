/** One line of the report. `warn` needs attention some day; `FAIL` is wrong now. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'FAIL';
  /** What was looked at, in a word or two. */
  readonly about: string;
  readonly text: string;
}

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text });
export const warn = (about: string, text: string): Finding => ({ level: 'warn', about, text });
export const fail = (about: string, text: string): Finding => ({ level: 'FAIL', about, text });

/** What is being examined. */
export interface Patient {
  /** The data directory, absolute. */
  readonly root: string;
  /** The process whose chain runs on it. */
  readonly holder: number | undefined;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly etcdServers: string | undefined;
}

export type Check = (patient: Patient) => readonly Finding[] | Promise<readonly Finding[]>;

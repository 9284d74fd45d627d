/** One line of the report. `warn` will need attention later; `FAIL` is a current fault. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'FAIL';
  /** The subject of the check, in one or two words. */
  readonly about: string;
  readonly text: string;
}

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text });
export const warn = (about: string, text: string): Finding => ({ level: 'warn', about, text });
export const fail = (about: string, text: string): Finding => ({ level: 'FAIL', about, text });

/** The chain that is examined. */
export interface ExaminedChain {
  /** The data directory, absolute. */
  readonly root: string;
  /** The process id of the chain that runs on the data directory, if there is one. */
  readonly holder: number | undefined;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly etcdServers: string | undefined;
}

export type Check = (chain: ExaminedChain) => readonly Finding[] | Promise<readonly Finding[]>;

import type { Record } from '../record.ts';
import type { Program } from './program.ts';

export interface Step {
  readonly name: string;
  run(record: Record): Promise<void>;
}

/** What is done with one controller, or with several that belong together. */
export interface Session {
  readonly name: string;
  /** The controllers that run. Complete after `start`. */
  readonly programs: readonly Program[];
  /** Installs the controllers with their accounts, and waits until they are ready. */
  start(): Promise<void>;
  /** What is done with them, in order. Every step records what they did, and is measured. */
  readonly steps: readonly Step[];
  /** After a restart of the API server: makes an object and waits until they have reconciled it. */
  goOn(record: Record): Promise<void>;
  stop(): Promise<void>;
}

import type { LogRecord } from './record.ts';

/** The log that makes changes durable. */
export interface CommitLog {
  /** Appends changes, in order. When they cannot be made durable, `undo` reverts them in memory, after the `undo` of everything appended later. */
  append(records: readonly LogRecord[], undo: () => void): void;
  /**
   * Resolves when everything appended so far is durable. Rejects with EtcdServerError when that fails: the changes are then undone, and writes
   * appended later are tried again.
   */
  flushed(): Promise<void>;
  /** The size of the log and the checkpoints on disk, in bytes. */
  readonly diskBytes: number;
  /** The number of writes so far. */
  readonly sequence: number;
  /** Why the log could not be written or shortened the last time, as a one-line message; undefined when it could. */
  readonly problem: string | undefined;
  /** Writes a checkpoint and deletes the log before it. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/** A log that stores nothing, for a store in memory only. */
export function memoryLog(): CommitLog {
  let sequence = 0;
  return {
    append: () => {
      sequence++;
    },
    flushed: () => Promise.resolve(),
    diskBytes: 0,
    problem: undefined,
    get sequence() {
      return sequence;
    },
    checkpoint: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

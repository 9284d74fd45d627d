import type { LogRecord } from './record.ts';

/** Where changes become durable. */
export interface CommitLog {
  /**
   * Hands over what happened, in order. When it cannot be made durable, `undo` takes it back from memory, after that of everything that was
   * handed over later.
   */
  append(records: readonly LogRecord[], undo: () => void): void;
  /**
   * Resolves when everything appended so far is durable. Rejects with EtcdServerError when it cannot be made so: then it has not happened, and
   * what is appended from there on is tried anew.
   */
  flushed(): Promise<void>;
  /** What the log and the checkpoints take on disk, in bytes. */
  readonly diskBytes: number;
  /** The number of writes so far. */
  readonly sequence: number;
  /** What kept the log from being written or shortened the last time, in one line, if anything did. */
  readonly problem: string | undefined;
  /** Writes a checkpoint and drops the log before it. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/** Keeps nothing: for a store that lives in memory only. */
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

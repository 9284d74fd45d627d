import type { LogRecord } from './record.ts';

/** Where changes become durable. */
export interface CommitLog {
  /** Hands over what happened, in order. */
  append(records: readonly LogRecord[]): void;
  /** Resolves when everything appended so far is durable. Rejects with EtcdServerError when it cannot be made so. */
  flushed(): Promise<void>;
  /** What the log and the checkpoints take on disk, in bytes. */
  readonly diskBytes: number;
  /** The number of writes so far. */
  readonly sequence: number;
  /** What keeps the log from being shortened or written, in one line, if anything does. */
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

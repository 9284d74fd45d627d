import { setImmediate as nextTurn } from 'node:timers/promises';
import { grpcStatus } from '@apichain/embedded-etcd/grpc-status';
import type { Event } from '@apichain/embedded-etcd/mvccpb';
import type { WatchResponse } from '@apichain/embedded-etcd/etcdserverpb';
import { asError } from '@apichain/meta';
import type { EtcdConnection, EtcdWatchCall } from './etcd-client.ts';
import { EtcdError } from './etcd-error.ts';
import { createWatch, requestProgress } from './requests.ts';
import { WholeRevisions } from './whole-revisions.ts';

/** The revision to go on from is gone from etcd's history, or etcd's history is not the one known so far. */
export class HistoryLostError extends Error {
  override readonly name = 'HistoryLostError';
}

export interface EtcdWatchOptions {
  readonly key: Buffer;
  readonly rangeEnd: Buffer;
  /** The first revision whose events are wanted. */
  readonly startRevision: number;
  /** Whether events carry the state before. */
  readonly prevKv: boolean;
  /** Whether `startRevision` may lie in the future of etcd: the watch then waits for it. Otherwise such an etcd has lost its history. */
  readonly mayBeAhead?: boolean;
  /** The watch stands. */
  readonly onCreated?: () => void;
  /** Some events of non-decreasing revisions. The next ones come after it resolves. */
  readonly onEvents: (events: readonly Event[]) => Promise<void> | void;
  /** No event up to this revision is outstanding. */
  readonly onProgress?: (revision: number) => void;
}

export interface EtcdWatch {
  /** Rejects with HistoryLostError or EtcdError when the watch ends by itself, resolves after `cancel`. */
  readonly ended: Promise<void>;
  /** Asks etcd for an onProgress. */
  requestProgress(): void;
  cancel(): void;
}

/** Events handled in one turn, so that a burst does not keep consumers from taking theirs. */
const eventsPerTurn = 256;
/** Answers waiting to be handled before etcd is asked to hold back. */
const maxBacklog = 64;

function checkAnswer(response: WatchResponse, options: EtcdWatchOptions): void {
  const revision = response.header?.revision ?? 0;
  if (response.canceled) {
    const lost = response.compactRevision > 0 || response.cancelReason.includes('compacted');
    if (lost) throw new HistoryLostError(`compacted at ${String(response.compactRevision)}`);
    throw new EtcdError(grpcStatus.UNAVAILABLE, `etcd cancelled the watch: ${response.cancelReason}`);
  }
  if (response.created && options.mayBeAhead !== true && revision < options.startRevision - 1) {
    throw new HistoryLostError(`etcd is at ${String(revision)}, before ${String(options.startRevision)}`);
  }
}

async function handle(response: WatchResponse, revisions: WholeRevisions, options: EtcdWatchOptions): Promise<void> {
  checkAnswer(response, options);
  if (response.created) options.onCreated?.();
  else if (response.events.length === 0) options.onProgress?.(response.header?.revision ?? 0);
  const events = revisions.take(response);
  for (let i = 0; i < events.length; i += eventsPerTurn) {
    if (i > 0) await nextTurn();
    await options.onEvents(i === 0 && events.length <= eventsPerTurn ? events : events.slice(i, i + eventsPerTurn));
  }
}

/** Handles a stream's answers one after the other. */
class Answers {
  readonly #options: EtcdWatchOptions;
  readonly #backlog: WatchResponse[] = [];
  readonly #revisions = new WholeRevisions();
  #running = false;
  #paused = false;

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
  }

  /** Rejects when an answer ends the watch. */
  async push(response: WatchResponse, call: () => EtcdWatchCall | undefined): Promise<void> {
    this.#backlog.push(response);
    if (this.#backlog.length >= maxBacklog && !this.#paused) {
      this.#paused = true;
      call()?.pause();
    }
    if (this.#running) return;
    this.#running = true;
    for (let next = this.#backlog.shift(); next !== undefined; next = this.#backlog.shift()) {
      await handle(next, this.#revisions, this.#options);
      if (this.#paused && this.#backlog.length < maxBacklog) {
        this.#paused = false;
        call()?.resume();
      }
    }
    this.#running = false;
  }
}

/** Opens one watch on a range. Throws EtcdError when no connection can be had. */
export async function watchEtcd(connection: EtcdConnection, options: EtcdWatchOptions): Promise<EtcdWatch> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  // It may be over before the caller looks.
  ended.catch(() => undefined);
  const answers = new Answers(options);
  const opened: { call?: EtcdWatchCall } = {};
  let cancelled = false;
  const fail = (error: unknown) => {
    opened.call?.cancel();
    if (cancelled) resolve();
    else reject(asError(error));
  };
  const call = await connection.openWatch({
    onMessage: (response) => {
      answers.push(response, () => opened.call).catch(fail);
    },
    onEnd: fail,
  });
  opened.call = call;
  call.write(createWatch(options));
  return {
    ended,
    requestProgress: () => {
      call.write(requestProgress);
    },
    cancel: () => {
      cancelled = true;
      call.cancel();
      resolve();
    },
  };
}

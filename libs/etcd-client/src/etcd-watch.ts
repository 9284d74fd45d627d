import { setImmediate as nextTurn } from 'node:timers/promises';
import { grpcStatus } from '@apichain/etcd-api';
import type { WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import type { Event } from '@apichain/etcd-api/mvccpb';
import { asError, HistoryLostError } from '@apichain/meta';
import type { EtcdConnection, EtcdWatchCall } from './etcd-client.ts';
import { EtcdError } from './etcd-error.ts';
import { createWatch, requestProgress } from './requests.ts';

export interface EtcdWatchOptions {
  readonly key: Buffer;
  readonly rangeEnd: Buffer;
  /** The first revision whose events are delivered. */
  readonly startRevision: number;
  /** Whether events include the previous value. */
  readonly prevKv: boolean;
  /**
   * Whether `startRevision` may be newer than etcd's revision: the watch then waits for it. If false, such an etcd counts as having lost its
   * history.
   */
  readonly mayBeAhead?: boolean;
  /** Called with events of non-decreasing revisions. The next call waits until the returned promise resolves. */
  readonly onEvents: (events: readonly Event[]) => Promise<void> | void;
  /** Called when all events up to this revision have been delivered. */
  readonly onProgress?: (revision: number) => void;
}

/** A running watch of a range. */
export interface EtcdWatch {
  /**
   * Resolves after `cancel`. Rejects with EtcdError when the watch fails, with HistoryLostError when the revision to continue from has been compacted or
   * etcd has a different history than before, and with the errors of `onEvents`.
   */
  readonly ended: Promise<void>;
  /** Requests a progress notification, which arrives as onProgress. */
  requestProgress(): void;
  cancel(): void;
}

/** Events handled in one turn of the event loop, so that a burst does not keep consumers from reading. */
const eventsPerTurn = 256;
/** The number of queued responses at which reading from etcd is paused. */
const maxBacklog = 64;

function checkResponse(response: WatchResponse, options: EtcdWatchOptions): void {
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
  checkResponse(response, options);
  if (!response.created && response.events.length === 0) options.onProgress?.(response.header?.revision ?? 0);
  const events = revisions.take(response);
  for (let i = 0; i < events.length; i += eventsPerTurn) {
    if (i > 0) await nextTurn();
    await options.onEvents(i === 0 && events.length <= eventsPerTurn ? events : events.slice(i, i + eventsPerTurn));
  }
}

/** Handles the responses of a stream one after the other. */
class ResponseQueue {
  readonly #options: EtcdWatchOptions;
  readonly #backlog: WatchResponse[] = [];
  readonly #revisions = new WholeRevisions();
  #running = false;
  #paused = false;

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
  }

  /** Rejects when a response ends the watch. */
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

/** Opens a watch on a range. Throws EtcdError when no connection can be established. */
export async function watchEtcd(connection: EtcdConnection, options: EtcdWatchOptions): Promise<EtcdWatch> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  // The promise may reject before the caller attaches a handler.
  ended.catch(() => undefined);
  const responses = new ResponseQueue(options);
  const opened: { call?: EtcdWatchCall } = {};
  let cancelled = false;
  const fail = (error: unknown) => {
    opened.call?.cancel();
    if (cancelled) resolve();
    else reject(asError(error));
  };
  const call = await connection.openWatch({
    onMessage: (response) => {
      responses.push(response, () => opened.call).catch(fail);
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

/**
 * Joins the events of a watch whose large responses arrive in fragments, so that a burst of any size never has to be held as a whole. A watch that
 * breaks resumes after the last revision received. Therefore the events of a fragment's last revision are held back until the next fragment, which
 * may contain more of them.
 */
export class WholeRevisions {
  #waiting: readonly Event[] = [];

  /** Returns the events of the next response that can be processed. */
  take({ events, fragment }: Pick<WatchResponse, 'events' | 'fragment'>): readonly Event[] {
    if (!fragment && this.#waiting.length === 0) return events;
    const all = [...this.#waiting, ...events];
    const last = all.at(-1)?.kv?.modRevision;
    const from = fragment ? all.findIndex(({ kv }) => kv?.modRevision === last) : all.length;
    this.#waiting = all.slice(from);
    return all.slice(0, from);
  }
}

import { sleep } from '../sleep.ts';
import { isStatusError } from '../status.ts';
import { ReconnectBackoff } from './reconnect-backoff.ts';

/** The changes since the last known revision cannot be had any more, e.g. because they were compacted: everything has to be listed again. */
export class HistoryLostError extends Error {
  override readonly name = 'HistoryLostError';
}

/** Whether an error says that history is lost. API servers say so with 410. */
export const isHistoryLost = (error: unknown): boolean =>
  error instanceof HistoryLostError || (isStatusError(error) && error.code === 410);

/** Why a list or a watch is over. */
export type ReflectorEnd =
  | { readonly reason: 'ListFailed' | 'WatchFailed' | 'HistoryLost'; readonly error: unknown }
  /** The server has ended the watch. */
  | { readonly reason: 'WatchEnded'; readonly error?: undefined };

type Phase = 'Listing' | 'Watching';

/** Watching follows Listing; Backoff follows a list that failed, and every watch, also one that the server ended right after it began. */
export type ReflectorState =
  | { readonly phase: Phase }
  | { readonly phase: 'Backoff'; readonly end: ReflectorEnd; readonly next: Phase };

/** What a reflector reads, and who is told. */
export interface ReflectorOptions {
  /** Reads all objects. */
  readonly list: () => Promise<unknown>;
  /** Reads the changes after the last known revision, until the watch ends. */
  readonly watch: () => Promise<void>;
  /** Whether a watch continues where the last one ended or failed. Default: it does. Never asked when history is lost. */
  readonly resumesAfter?: (end: ReflectorEnd) => boolean;
  /** Called with each state when it begins. */
  readonly onState?: (state: ReflectorState) => void;
  /** Called when a list or a watch fails, but not when a watch has lost its history. */
  readonly onFailure?: (error: unknown) => void;
  /** Replaces the default waits between attempts. */
  readonly backoff?: ReconnectBackoff;
  /** Replaces the timer; must resolve early when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Lists objects and watches their changes until the signal aborts, through lost connections and lost history. Follows the Reflector of client-go, with
 * states like those of kube-rs' watcher. Rejects only when a callback throws.
 */
export async function reflect(options: ReflectorOptions, signal: AbortSignal): Promise<void> {
  const { resumesAfter, onState, onFailure, backoff = new ReconnectBackoff(), sleep: wait = sleep } = options;
  let phase: Phase = 'Listing';
  let listedAt = 0;
  while (!signal.aborted) {
    onState?.({ phase });
    const since = performance.now();
    if (phase === 'Listing') listedAt = since;
    const end: ReflectorEnd | undefined = await endOf(phase, options);
    phase = 'Watching';
    if (end === undefined) continue;
    if (signal.aborted) return;
    const { reason, error } = end;
    const isLost = reason === 'HistoryLost';
    if (reason === 'ListFailed' || isLost || resumesAfter?.(end) === false) phase = 'Listing';
    if (reason === 'ListFailed' || reason === 'WatchFailed') onFailure?.(error);
    onState?.({ phase: 'Backoff', end, next: phase });
    const lastedMs = reason === 'ListFailed' ? 0 : performance.now() - (isLost ? listedAt : since);
    await wait(backoff.next(lastedMs), signal);
  }
}

/** Lists or watches. Returns why that is over; undefined = everything has been listed. */
async function endOf(phase: Phase, { list, watch }: ReflectorOptions): Promise<ReflectorEnd | undefined> {
  try {
    if (phase === 'Listing') return void (await list());
    await watch();
    return { reason: 'WatchEnded' };
  } catch (error) {
    if (phase === 'Listing') return { reason: 'ListFailed', error };
    return { reason: isHistoryLost(error) ? 'HistoryLost' : 'WatchFailed', error };
  }
}

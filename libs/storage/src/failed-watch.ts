import type { StatusError } from '@apichain/meta';
import { SharedEvent } from './cache-event.ts';
import type { WatchEvent, WatchStream } from './storage.ts';

/** The error of a watch that begins before the available history. */
export const tooOld = (revision: number, oldest: number) =>
  `too old resource version: ${String(revision)} (${String(oldest)})`;

/** A stream that sends the error and ends. */
export function failedWatch({ status }: StatusError, revision: number): WatchStream {
  let events: readonly WatchEvent[] | undefined = [new SharedEvent('ERROR', revision, { status })];
  return {
    next: () => {
      const taken = events;
      events = undefined;
      return Promise.resolve(taken);
    },
    stop: () => {
      events = undefined;
    },
  };
}

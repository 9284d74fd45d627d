import { formatResource, type StoreOptions } from './store-options.ts';
import type { StorageWatchOptions } from './storage.ts';
import { WatchQueue } from './watch-queue.ts';

interface QueuedWatch {
  readonly directory: string;
  readonly options: StorageWatchOptions;
  /** What happened up to here the watcher knows. */
  readonly revision: number;
}

/** A queue for a watcher of a store, whom the store's metrics count until it ends. */
export function openWatchQueue(
  { resource, metrics, watchQueueLimits }: StoreOptions,
  { directory, options, revision }: QueuedWatch,
  onEnd: (queue: WatchQueue) => void,
): WatchQueue {
  const name = formatResource(resource);
  metrics?.watchers?.(name, 1);
  const ended = (queue: WatchQueue, tooSlow: boolean) => {
    onEnd(queue);
    metrics?.watchers?.(name, -1);
    if (tooSlow) metrics?.watcherTerminated?.(name);
  };
  return new WatchQueue(directory, options, revision, ended, watchQueueLimits);
}

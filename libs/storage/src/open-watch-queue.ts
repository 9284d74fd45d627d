import { formatResource, type StoreOptions } from './store-options.ts';
import type { StorageWatchOptions } from './storage.ts';
import { WatchQueue } from './watch-queue.ts';

interface QueuedWatch {
  readonly directory: string;
  readonly options: StorageWatchOptions;
  /** The watcher has every change up to this revision. */
  readonly revision: number;
}

/** Creates a queue for a watcher of a store. The store's metrics count the watcher until the queue ends. */
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

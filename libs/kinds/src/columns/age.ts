import { humanDuration } from '@apichain/go-text';
import { currentTime } from '@apichain/meta';

/** The age of a timestamp; `<unknown>` without one. */
export function age(timestamp: unknown): string {
  if (typeof timestamp !== 'string') return '<unknown>';
  const since = Date.parse(timestamp);
  return Number.isNaN(since) ? '<unknown>' : humanDuration(currentTime() - since);
}

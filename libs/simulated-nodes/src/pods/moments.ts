import { formatTime } from '@apichain/go-text';
import { BoundedCache } from '@apichain/meta';

/** The moments of the writes to pods for which something is still to happen. */
const mostPods = 50_000;

/**
 * The moments that the times in the status of pods stand for. Statuses have whole seconds, so a container that shall run for 300 ms needs more. What is not
 * remembered counts from the beginning of its second.
 */
export class Moments {
  readonly #byUid = new BoundedCache<Map<string, number>>({ maxEntries: mostPods, maxCharacters: mostPods * 50 });

  /** The status of a pod is written now. */
  wrote(uid: string, now: number): void {
    const moments = this.#byUid.get(uid) ?? new Map<string, number>();
    moments.set(formatTime(new Date(now)), now);
    this.#byUid.set(uid, moments);
  }

  of(uid: string, now: number): (time: string | null | undefined) => number {
    const moments = this.#byUid.get(uid);
    return (time) => (time === undefined || time === null ? now : (moments?.get(time) ?? Date.parse(time)));
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }
}

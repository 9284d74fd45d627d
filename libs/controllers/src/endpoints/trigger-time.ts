import type { Pod, Service } from '@apichain/api/core/v1';
import { findCondition } from '@apichain/meta';
import { milliseconds, timestamp } from '../timestamps.ts';

/** The annotation of endpoints with the time of the change that led to their last change. */
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Seen {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

/** Remembers when services and their pods last changed, to tell which change endpoints follow. */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /**
   * The time of the earliest change since the last call for the service, as an RFC 3339 text: that of its creation at the first call. Undefined if
   * nothing that has a time has changed.
   */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key);
    const created = milliseconds(service.metadata.creationTimestamp) ?? 0;
    const times = new Map(pods.flatMap((pod) => readySince(pod)));
    this.#seen.set(key, { service: created, pods: times });
    if (before === undefined) return timestamp(created);
    const changed = [...times].filter(([name, time]) => time > (before.pods.get(name) ?? 0)).map(([, time]) => time);
    if (created > before.service) changed.push(created);
    return changed.length === 0 ? undefined : timestamp(Math.min(...changed));
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** When the readiness of a pod last changed, by its name. */
function readySince({ metadata, status }: Pod): [[string, number]] | [] {
  const time = milliseconds(findCondition(status?.conditions, 'Ready')?.lastTransitionTime);
  return time === undefined ? [] : [[metadata.name ?? '', time]];
}

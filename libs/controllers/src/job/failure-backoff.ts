import type { ContainerStatus, Pod } from '@apichain/api/core/v1';
import { findCondition, integer } from '@apichain/meta';
import { milliseconds } from '../timestamps.ts';

/** The failures of a job since its last success. */
export interface FailureRecord {
  readonly failures: number;
  /** In milliseconds since 1970. */
  readonly lastFailure: number;
}

/** The record of a job without failures. */
export const noFailures: FailureRecord = { failures: 0, lastFailure: 0 };

const firstDelayMs = 10_000;
const longestDelayMs = 600_000;

/** How long the replacement of a failed pod still has to wait at the time `now`, in milliseconds: 10 s, 20 s, 40 s, ... up to 10 minutes. */
export function remainingDelay({ failures, lastFailure }: FailureRecord, now: number): number {
  if (failures === 0) return 0;
  const delay = Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs);
  return Math.max(0, lastFailure + delay - now);
}

/** The record with pods that have ended since. Failures before the last success do not count. */
export function recordEnds(record: FailureRecord, succeeded: readonly Pod[], failed: readonly Pod[]): FailureRecord {
  const lastSuccess = Math.max(-Infinity, ...succeeded.map(endOf));
  const ends = failed.map(endOf).filter((end) => end > lastSuccess);
  const before = succeeded.length === 0 ? record : noFailures;
  return ends.length === 0 ? before : { failures: before.failures + ends.length, lastFailure: Math.max(...ends) };
}

/**
 * When a pod ended, in milliseconds since 1970: with its last container; if that is unknown, when it stopped being ready, when its deletion was
 * requested, or else when it was created.
 */
export function endOf({ metadata, spec, status }: Pod): number {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const containers = endOfContainers(status?.containerStatuses ?? []);
  const withSidecars = endOfContainers((status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)));
  if (containers !== undefined && withSidecars !== undefined) {
    const end = Math.max(containers, withSidecars);
    if (end > -Infinity) return end;
  }
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status === 'False') {
    const since = milliseconds(ready.lastTransitionTime);
    if (since !== undefined) return since;
  }
  const { deletionTimestamp, deletionGracePeriodSeconds, creationTimestamp } = metadata;
  const deletion = milliseconds(deletionTimestamp);
  if (deletion !== undefined) return deletion - integer(deletionGracePeriodSeconds) * 1_000;
  return milliseconds(creationTimestamp) ?? 0;
}

/** When the last container ended; undefined while one has not. */
function endOfContainers(statuses: readonly ContainerStatus[]): number | undefined {
  const ends = statuses.map(({ state }) => milliseconds(state?.terminated?.finishedAt));
  return ends.includes(undefined) ? undefined : Math.max(-Infinity, ...ends.filter((end) => end !== undefined));
}

import type { ContainerStateTerminated, ContainerStatus } from '@apichain/api/core/v1';
import { integer } from '@apichain/meta';

/** The delays of a kubelet: the second restart waits ten seconds, each further one twice as long, up to five minutes. */
const firstMs = 10_000;
export const longestBackOffMs = 300_000;

/** A container that has run this long starts again from the beginning. */
const forgottenAfterMs = 2 * longestBackOffMs;

/** How long after the end of a container it is restarted, in milliseconds. */
export function crashBackOffMs(
  { restartCount }: ContainerStatus,
  { startedAt, finishedAt }: ContainerStateTerminated,
  momentOf: (time: string | null | undefined) => number,
): number {
  const ranMs = momentOf(finishedAt) - momentOf(startedAt);
  return ranMs > forgottenAfterMs ? 0 : doubled(integer(restartCount) - 1);
}

/** The back-off after this many failures that have waited; none before the first. */
export const doubled = (failures: number): number =>
  failures < 0 ? 0 : Math.min(firstMs * 2 ** Math.min(failures, 10), longestBackOffMs);

/** How long a failed pull is shown before the back-off, in milliseconds. */
const shownMs = 1_000;

/** What a container that waits for an image shows, from when until when, in milliseconds since the epoch. */
interface PullAttempt {
  readonly reason: 'ErrImagePull' | 'ImagePullBackOff';
  readonly since: number;
  readonly until: number;
}

/** The state at `now` of pulls that fail since `begin`: pulls are repeated after 10, 20, 40 seconds and so on, up to five minutes. */
export function pullAttempt(begin: number, now: number): PullAttempt {
  let attempt = begin;
  let failures = 0;
  while (doubled(failures) < longestBackOffMs && attempt + doubled(failures) <= now) {
    attempt += doubled(failures);
    failures++;
  }
  if (doubled(failures) === longestBackOffMs && now > attempt)
    attempt += Math.floor((now - attempt) / longestBackOffMs) * longestBackOffMs;
  return now < attempt + shownMs
    ? { reason: 'ErrImagePull', since: attempt, until: attempt + shownMs }
    : { reason: 'ImagePullBackOff', since: attempt + shownMs, until: attempt + doubled(failures) };
}

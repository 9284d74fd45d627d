import { doubled, longestBackOffMs } from './back-off.ts';

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

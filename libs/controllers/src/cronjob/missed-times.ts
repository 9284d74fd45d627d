import type { CronJob } from '@apichain/api/batch/v1';
import type { CronSchedule } from '@apichain/go-text';
import { integer } from '@apichain/meta';
import { milliseconds } from '../timestamps.ts';

/** How a schedule stands at some time. Times are in milliseconds since 1970. */
export interface DueTime {
  /** The latest time that is due. */
  readonly due: number | undefined;
  /** More than 100 times have been missed. */
  readonly missedMany: boolean;
  /** When to look again. */
  readonly lookAgain: number;
}

const manyMissed = 100;
/** A margin for clocks that differ. */
const marginMs = 100;

/** Thrown for a schedule that never comes. */
export class NeverDueError extends Error {}

/**
 * The latest time of the schedule after the last one that was started, or since the creation of the CronJob, and within the starting deadline.
 * Throws NeverDueError, with the message of the event.
 */
export function dueTime(cronJob: CronJob, schedule: CronSchedule, now: number): DueTime {
  const last = milliseconds(cronJob.status?.lastScheduleTime) ?? milliseconds(cronJob.metadata.creationTimestamp) ?? 0;
  const { startingDeadlineSeconds } = cronJob.spec ?? {};
  const earliest =
    startingDeadlineSeconds === undefined ? last : Math.max(last, now - integer(startingDeadlineSeconds) * 1_000);
  const { latest, missed } = latestTime(schedule, earliest, now);
  return { due: latest, missedMany: missed > manyMissed, lookAgain: nextLook(schedule, last, now) };
}

/** When to look again at a CronJob whose schedule was last looked at, or started, at `last`. */
export function nextLook(schedule: CronSchedule, last: number, now: number): number {
  return (schedule.next(latestOr(schedule, last, now)) ?? now) + marginMs;
}

function latestOr(schedule: CronSchedule, last: number, now: number): number {
  try {
    const { latest, missed } = latestTime(schedule, last, now);
    return latest ?? (missed === 0 ? last : now);
  } catch (error) {
    if (error instanceof NeverDueError) return now;
    throw error;
  }
}

/** The latest time of the schedule after `earliest` and not after `now`, and about how many times there are between them. */
function latestTime(
  schedule: CronSchedule,
  earliest: number,
  now: number,
): { readonly latest: number | undefined; readonly missed: number } {
  const first = schedule.next(earliest);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined)
    throw new NeverDueError('time difference between two schedules is less than 1 second');
  if (now < first) return { latest: undefined, missed: 0 };
  if (now < second) return { latest: first, missed: 0 };
  const interval = second - first;
  const missed = Math.floor((now - first) / interval) + 1;
  // One interval less than it seems: intervals may differ.
  let latest: number | undefined;
  let time = schedule.next(first + (missed - 2) * interval);
  for (; time !== undefined && time <= now; time = schedule.next(time)) latest = time;
  return { latest, missed };
}

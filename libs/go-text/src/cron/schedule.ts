import { type CivilTime, TimeZone } from './time-zone.ts';

/** When something is due again and again. */
export interface CronSchedule {
  /** The first time after `instant`, both in milliseconds since 1970. Undefined if there is none within five years. */
  next(instant: number): number | undefined;
}

/** A field of a schedule: the values that match, and whether it was written as `*`. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

/** The five fields of a schedule. */
interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
}

const secondMs = 1_000;
const minuteMs = 60_000;
const yearsAhead = 5;

/** A schedule that is due every `delayMs`, in whole seconds, at least one. */
export function everySchedule(delayMs: number): CronSchedule {
  const delay = Math.max(secondMs, delayMs - (delayMs % secondMs));
  return { next: (instant) => instant - (instant % secondMs) + delay };
}

/**
 * A schedule that is due at the minutes of civil time that match all fields; if both days are restricted, one of them suffices. A time that a change of
 * the offset skips is not due, one that it repeats is due twice.
 */
export function fieldSchedule(fields: CronFields, timeZoneName: string): CronSchedule {
  const zone = new TimeZone(timeZoneName);
  const { minute, hour, month } = fields;
  /** The start of the next month, day, hour or minute if `civil` does not match. */
  const skip = (instant: number, civil: CivilTime): number | undefined => {
    if (!month.values.has(civil.month)) return zone.startOfDay(civil.year, civil.month + 1, 1);
    if (!isDayIn(fields, civil)) return zone.startOfDay(civil.year, civil.month, civil.day + 1);
    if (!hour.values.has(civil.hour)) return instant + (60 - civil.minute) * minuteMs;
    return minute.values.has(civil.minute) ? undefined : instant + minuteMs;
  };
  return {
    next(after) {
      let instant = (Math.floor(after / minuteMs) + 1) * minuteMs;
      const lastYear = zone.civilTime(instant).year + yearsAhead;
      for (;;) {
        const civil = zone.civilTime(instant);
        if (civil.year > lastYear) return undefined;
        const later = skip(instant, civil);
        if (later === undefined) return instant;
        instant = later;
      }
    },
  };
}

function isDayIn({ dayOfMonth, dayOfWeek }: CronFields, civil: CivilTime): boolean {
  const isDayOfMonth = dayOfMonth.values.has(civil.day);
  const isDayOfWeek = dayOfWeek.values.has(civil.dayOfWeek);
  return dayOfMonth.isAny || dayOfWeek.isAny ? isDayOfMonth && isDayOfWeek : isDayOfMonth || isDayOfWeek;
}

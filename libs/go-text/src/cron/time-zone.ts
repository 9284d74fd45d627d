function resolvedTimeZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Whether this system has a time zone of that name. JavaScript ignores case and accepts
 * offsets. The zone database does neither, and its names start with a capital letter.
 */
export function isTimeZone(name: string): boolean {
  const resolved = name.split('/').every((part) => /^[A-Z]/.test(part)) ? resolvedTimeZone(name) : undefined;
  if (resolved === undefined) return false;
  // An alias resolves to another name.
  return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
}

/** A calendar date and time of day in a time zone. `month` is 1 to 12, `dayOfWeek` 0 for Sunday. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly dayOfWeek: number;
}

/** Converts between instants, in milliseconds since 1970, and the civil time of a zone. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat | undefined;

  /** `name` must be a time zone of this system, see `isTimeZone`. */
  constructor(name: string) {
    if (name === 'UTC') return;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** The offset from UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number {
    if (this.#format === undefined) return 0;
    const name = this.#format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -size : size;
  }

  civilTime(instant: number): CivilTime {
    const local = new Date(instant + this.offsetAt(instant));
    return {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      dayOfWeek: local.getUTCDay(),
    };
  }

  /** The first instant of a day, or the next if a change of the offset skips its midnight. Days beyond the end of a month are in the next. */
  startOfDay(year: number, month: number, day: number): number {
    const local = Date.UTC(year, month - 1, day);
    // The offset at the instant that would have the same text in UTC is at most one change away from the right one.
    const first = local - this.offsetAt(local);
    const start = local - this.offsetAt(first);
    // Midnight does not exist where the instant before the change is found.
    return start + this.offsetAt(start) < local ? start + (local - start - this.offsetAt(start)) : start;
  }
}

import { parseDurationMs } from '@apichain/go-text';

/** A time span: milliseconds, or a text such as `90s`, `1h30m`, `2d`. */
export type Duration = number | string;

const dayMs = 86_400_000;
const days = /^(?<sign>-?)(?<days>\d+(?:\.\d+)?)d(?<rest>.*)$/;

/** The milliseconds of a duration. Throws RangeError that names a value which is none. */
export function milliseconds(duration: Duration): number {
  const value = typeof duration === 'number' ? duration : parsed(duration);
  if (!Number.isFinite(value))
    throw new RangeError(`${JSON.stringify(duration)} is not a duration such as 500, "90s", "1h30m" or "2d"`);
  return value;
}

function parsed(text: string): number {
  const { sign = '', days: count, rest = '' } = days.exec(text)?.groups ?? {};
  if (count === undefined) return goDuration(text);
  const more = rest === '' ? 0 : goDuration(rest);
  const total = Number(count) * dayMs + more;
  return sign === '-' ? -total : total;
}

function goDuration(text: string): number {
  try {
    return parseDurationMs(text);
  } catch {
    return Number.NaN;
  }
}

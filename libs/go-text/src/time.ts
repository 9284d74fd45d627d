/** An instant as meta/v1 Time writes it: RFC 3339 in UTC, whole seconds. */
export const formatTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** An instant as Go prints a time.Time in UTC, whole seconds: `2006-01-02 15:04:05 +0000 UTC`. The seconds alone if a Date cannot hold it. */
export function formatGoTime(seconds: number): string {
  const date = new Date(Math.floor(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  const [day = '', time = ''] = date.toISOString().split('T');
  return `${day.replace(/^\+0*/, '')} ${time.slice(0, 8)} +0000 UTC`;
}

/** An instant as meta/v1 MicroTime writes it: six fractional digits, of which a Date has three. */
export const formatMicroTime = (date: Date): string => `${date.toISOString().slice(0, 23)}000Z`;

/** RFC 3339 with a `T`, a zone, and any fraction; ranges are checked by parseTime. */
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** Parses an RFC 3339 text to microseconds since 1970. Returns undefined when the text is invalid or the date does not exist. */
export function parseTime(text: string): bigint | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const milliseconds = Date.parse(`${wall}.000${zone}`);
  const local = Date.parse(`${wall}.000Z`);
  if (Number.isNaN(milliseconds) || Number.isNaN(local) || !new Date(local).toISOString().startsWith(wall))
    return undefined;
  return BigInt(milliseconds) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Whether two times are the same instant; absent, null and empty all mean the zero time. */
export function sameInstant(a: string | null | undefined, b: string | null | undefined): boolean {
  if ((a ?? '') === (b ?? '')) return true;
  const left = parseTime(a ?? '');
  return left !== undefined && left === parseTime(b ?? '');
}

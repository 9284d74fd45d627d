/** The width of a time of day. */
export const clockWidth = '00:00:00.000'.length;

/** The local time of day, to the millisecond. */
export function clock(time: number | undefined): string {
  if (time === undefined) return ' '.repeat(clockWidth);
  const date = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two);
  return `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

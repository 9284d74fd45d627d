/**
 * The keys from `start` up to `end` (exclusive), as strings with one character a byte, whose order is that of the bytes. Without `end`, the
 * key `start` alone.
 */
export interface KeyRange {
  readonly start: string;
  readonly end: string | undefined;
}

/** After every key: its characters are no bytes. */
export const afterEveryKey = '\uffff';

export const keyOf = (bytes: Buffer): string => bytes.toString('latin1');

/** The range that a request's `key` and `range_end` mean: no end is the one key, an end of one zero byte every key from `key` on. */
export function keyRange(key: Buffer, rangeEnd: Buffer): KeyRange {
  if (rangeEnd.length === 0) return { start: keyOf(key), end: undefined };
  if (rangeEnd.length === 1 && rangeEnd[0] === 0) return { start: keyOf(key), end: afterEveryKey };
  return { start: keyOf(key), end: keyOf(rangeEnd) };
}

export const includes = ({ start, end }: KeyRange, key: string): boolean =>
  end === undefined ? key === start : key >= start && key < end;

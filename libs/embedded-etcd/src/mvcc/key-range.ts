/**
 * The keys from `start` up to `end` (exclusive). They are strings with one character per byte, so that their order is that of the bytes. Without
 * `end`, only the key `start`.
 */
export interface KeyRange {
  readonly start: string;
  readonly end: string | undefined;
}

/** Sorts after every key, because its character is not a byte. */
export const afterEveryKey = '\uffff';

export const keyOf = (bytes: Buffer): string => bytes.toString('latin1');

/** The range of a request's `key` and `range_end`: an empty end = the single key, an end of one zero byte = every key from `key` on. */
export function keyRange(key: Buffer, rangeEnd: Buffer): KeyRange {
  if (rangeEnd.length === 0) return { start: keyOf(key), end: undefined };
  if (rangeEnd.length === 1 && rangeEnd[0] === 0) return { start: keyOf(key), end: afterEveryKey };
  return { start: keyOf(key), end: keyOf(rangeEnd) };
}

export const includes = ({ start, end }: KeyRange, key: string): boolean =>
  end === undefined ? key === start : key >= start && key < end;

/** Indexes of an Indexed Job: a sorted list of numbers and ranges such as `0,2-4`. */
interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

const quoted = (text: string): string => JSON.stringify(text);

function parseIndex(text: string, completions: number): number | string {
  if (!/^[+-]?\d+$/.test(text)) return `cannot convert string to integer for index: ${quoted(text)}`;
  const value = Number(text);
  return value >= completions ? `too large index: ${quoted(text)}` : value;
}

function parseInterval(fragment: string, completions: number): IndexInterval | string {
  const parts = fragment.split('-');
  if (parts.length > 2) {
    return `the fragment ${quoted(fragment)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const first = parseIndex(parts[0] ?? '', completions);
  if (typeof first === 'string' || parts.length === 1) {
    return typeof first === 'string' ? first : { first, last: first };
  }
  const last = parseIndex(parts[1] ?? '', completions);
  if (typeof last === 'string') return last;
  return first >= last ? `non-increasing order, previous: ${first}, current: ${last}` : { first, last };
}

/** Parses the list; a string result is the error message. */
export function parseIndexes(text: string, completions: number): IndexInterval[] | string {
  if (text === '') return [];
  const intervals: IndexInterval[] = [];
  for (const fragment of text.split(',')) {
    const interval = parseInterval(fragment, completions);
    if (typeof interval === 'string') return interval;
    const previous = intervals.at(-1);
    if (previous !== undefined && previous.last >= interval.first) {
      return `non-increasing order, previous: ${previous.last}, current: ${interval.first}`;
    }
    intervals.push(interval);
  }
  return intervals;
}

export const countIndexes = (intervals: readonly IndexInterval[]): number =>
  intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);

const readable = (indexes: string, completions: number): IndexInterval[] =>
  (indexes === '' ? [] : indexes.split(',')).flatMap((fragment) => {
    const interval = parseInterval(fragment, completions);
    return typeof interval === 'string' ? [] : [interval];
  });

/** The first index that is in both lists. Invalid parts are ignored, because their errors are reported elsewhere. */
export function firstOverlap(a: string, b: string, completions: number): number | undefined {
  const [left, right] = [readable(a, completions), readable(b, completions)];
  for (let i = 0, j = 0; ;) {
    const [x, y] = [left[i], right[j]];
    if (x === undefined || y === undefined) return undefined;
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
}

import type { Pod } from '@apichain/api/core/v1';

/** Completion indexes from `first` to `last`. */
interface Interval {
  readonly first: number;
  readonly last: number;
}

/** A set of completion indexes: intervals in order that neither overlap nor touch. */
export type Indexes = readonly Interval[];

/** The annotation, and the label, with the completion index of a pod. */
export const completionIndexKey = 'batch.kubernetes.io/job-completion-index';

/** The completion index of a pod. Undefined if it has none that is valid. */
export function completionIndexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[completionIndexKey] ?? '';
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** The set of the given indexes. */
export const indexesOf = (indexes: Iterable<number>): Indexes =>
  [...new Set(indexes)].sort((a, b) => a - b).reduce<Interval[]>((set, index) => extend(set, index, index), []);

/** The set with the members of both. */
export function union(left: Indexes, right: Indexes): Indexes {
  const ordered = [...left, ...right].sort((a, b) => a.first - b.first);
  return ordered.reduce<Interval[]>((set, { first, last }) => extend(set, first, last), []);
}

function extend(set: Interval[], first: number, last: number): Interval[] {
  const end = set.at(-1);
  if (end === undefined || first > end.last + 1) set.push({ first, last });
  else if (last > end.last) set[set.length - 1] = { first: end.first, last };
  return set;
}

/** How many indexes are in both sets. */
export function overlap(left: Indexes, right: Indexes): number {
  let count = 0;
  for (const a of left)
    for (const b of right) count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
  return count;
}

/** How many indexes are in the set. */
export const sizeOf = (indexes: Indexes): number => indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);

/** Whether the set has the index. */
export const hasIndex = (indexes: Indexes, index: number): boolean =>
  indexes.some(({ first, last }) => first <= index && index <= last);

/** The text of a set in the status of a job: `1,3-5,7`. */
export const formatIndexes = (indexes: Indexes): string =>
  indexes
    .map(({ first, last }) => {
      if (first === last) return String(first);
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(',');

/** The set of a text such as `1,3-5,7`. Indexes from `completions` on, and parts that are no intervals, are left out. */
export function parseIndexes(text: string, completions: number): Indexes {
  const set: Interval[] = [];
  for (const part of text.split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    if (Number(first) >= completions) break;
    extend(set, Number(first), Math.min(Number(last), completions - 1));
  }
  return set;
}

/** The lowest `count` indexes below `completions` that are not in the set. */
export function firstMissing(indexes: Indexes, count: number, completions: number): number[] {
  const missing: number[] = [];
  let candidate = 0;
  const takeBelow = (end: number) => {
    for (; candidate < end && missing.length < count; candidate++) missing.push(candidate);
  };
  for (const { first, last } of indexes) {
    takeBelow(Math.min(first, completions));
    candidate = Math.max(candidate, last + 1);
  }
  takeBelow(completions);
  return missing;
}

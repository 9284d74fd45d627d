import { countsOf } from '../../comparison/compare.ts';
import { generatedSuffixes, replaced, uids, type Replacement } from '../../comparison/replacements.ts';

/** Lines of errors: klog (E and F), logfmt, JSON and zap's console form. */
const errorLine =
  /^[EF]\d{4} |\blevel=(?:error|fatal)\b|"level":"(?:error|fatal|panic)"|\t(?:ERROR|FATAL|PANIC)\t|^panic:/i;

/** Parts that differ from run to run. Later patterns see what earlier ones have left. */
const replacements: readonly Replacement[] = [
  [/^([EF])\d{4} [\d:.]+ +\d+ /, '$1 '],
  [/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?/g, 'TIME'],
  [/"ts":[\d.]+/g, '"ts":TIME'],
  uids,
  [/\b\d+\.\d+\.\d+\.\d+:\d+/g, 'HOST:PORT'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-HASH-RANDOM'],
  generatedSuffixes,
  [/\.[0-9a-f]{16}\b/g, '.EVENT'],
  [/\b(?:0x)?[0-9a-f]{8,}\b/g, 'HEX'],
  [/\d+(?:\.\d+)?/g, 'N'],
];

/** How often a log tells each error, without what differs from run to run. */
export function errorsIn(log: string): ReadonlyMap<string, number> {
  const errors = log.split('\n').filter((line) => errorLine.test(line));
  return countsOf(errors.map((line) => replaced(line, replacements)));
}

/**
 * How often a controller found that its copy of the objects is older than what it has written itself. It gives up this pass, and repeats it after a
 * delay that grows.
 */
export const staleReads = (log: string): number =>
  [...log.matchAll(/read version: \d+ is not as new as written version/g)].length;

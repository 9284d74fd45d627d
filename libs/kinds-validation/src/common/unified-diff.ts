import { hasAtMost, stringifyJson } from '@apichain/meta';
import { type Edit, lineEdits } from './line-matcher.ts';

const context = 3;
/** The maximum length of a diff that is shown, in characters. */
const maxShown = 256 * 1024;

/** A string as JSON. The part of a long string that is never shown is only compared, so its escaping is simplified. */
function scalarText(value: unknown): string {
  if (typeof value !== 'string' || value.length <= maxShown) return stringifyJson(value);
  return stringifyJson(value.slice(0, maxShown)).slice(0, -1) + JSON.stringify(value.slice(maxShown)).slice(1);
}

/** JSON indented by one space, with keys in their order, as Go's encoder writes it. */
function indented(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + indented(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const lines = entries.map(([key, member]) => `${inner}${stringifyJson(key)}: ${indented(member, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

/** Groups changes with three lines of context; distant changes are in separate groups. */
function groups(edits: readonly Edit[]): Edit[][] {
  const trimmed = edits.map((edit, i): Edit => {
    if (!edit.equal) return edit;
    const skipStart = i === 0 ? Math.max(0, edit.from[1] - edit.from[0] - context) : 0;
    const skipEnd = i === edits.length - 1 ? Math.max(0, edit.from[1] - edit.from[0] - context) : 0;
    return {
      equal: true,
      from: [edit.from[0] + skipStart, edit.from[1] - skipEnd],
      to: [edit.to[0] + skipStart, edit.to[1] - skipEnd],
    };
  });
  const result: Edit[][] = [];
  let group: Edit[] = [];
  for (const edit of trimmed) {
    const [start, end] = edit.from;
    if (edit.equal && end - start > 2 * context) {
      group.push({ equal: true, from: [start, start + context], to: [edit.to[0], edit.to[0] + context] });
      result.push(group);
      group = [{ equal: true, from: [end - context, end], to: [edit.to[1] - context, edit.to[1]] }];
    } else group.push(edit);
  }
  if (group.some((edit) => !edit.equal)) result.push(group);
  return result.filter((candidate) => candidate.some((edit) => !edit.equal));
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}

/**
 * The difference of two values as messages of the API server show it: a unified diff of their indented JSON, from `old` to `value`. Every line
 * ends with a newline; very long diffs are truncated. Empty when both print the same.
 */
export function unifiedDiff(old: unknown, value: unknown): string {
  const a = indented(old, '').split('\n');
  const b = indented(value, '').split('\n');
  let text = '';
  for (const group of groups(lineEdits(a, b))) {
    const [first, last] = [group.at(0), group.at(-1)];
    if (first === undefined || last === undefined) continue;
    text += `@@ -${range(first.from[0], last.from[1])} +${range(first.to[0], last.to[1])} @@\n`;
    for (const { equal, from, to } of group) {
      for (const line of a.slice(...from)) text += `${equal ? ' ' : '-'}${line}\n`;
      if (!equal) for (const line of b.slice(...to)) text += `+${line}\n`;
    }
    if (text.length > maxShown) return `${text.slice(0, maxShown)}...\n`;
  }
  return text;
}

/** Larger values are not compared: printing both and comparing the lines takes longer than a step may. */
const maxComparedMembers = 5_000;

/** `unifiedDiff` of what `print` makes of two values of a usual size. Of larger ones, a line that says that the difference is not shown. */
export const shownDiff = <T>(old: T, value: T, print: (value: T) => unknown): string =>
  hasAtMost([old, value], maxComparedMembers)
    ? unifiedDiff(print(old), print(value))
    : 'the difference is too large to be shown\n';

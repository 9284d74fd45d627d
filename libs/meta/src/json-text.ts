import { stringifyJson } from './json.ts';
import { isStepDone, type Work } from './turns.ts';

type Members = Record<string, unknown>;

/** Values with no more members than this, whatever their depth, are written by the platform. */
const maxNativeMembers = 512;

/** How many members a value and what is in it have, counted until there are more than `most`. */
function countMembers(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    if (value.length > most) return value.length;
    for (const element of value) {
      count += 1 + countMembers(element, most - count);
      if (count > most) break;
    }
    return count;
  }
  for (const key in value) {
    count += 1 + countMembers((value as Members)[key], most - count);
    if (count > most) break;
  }
  return count;
}

const isLarge = (value: unknown): value is object => countMembers(value, maxNativeMembers) > maxNativeMembers;

/** How lines are begun and broken; all empty for compact text. */
interface Layout {
  readonly small: (value: unknown) => string;
  readonly colon: string;
  readonly indent: string;
}

const compact: Layout = { small: stringifyJson, colon: ':', indent: '' };

const plainBigints = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;

/** Two spaces of indentation, as Go indents. */
const indented: Layout = {
  small: (value) => JSON.stringify(value, plainBigints, 2) ?? 'null',
  colon: ': ',
  indent: '  ',
};

function* writing(value: unknown, layout: Layout, lineStart: string): Work<string> {
  // There is no line feed within a text of JSON.
  if (!isLarge(value)) {
    const text = layout.small(value);
    return layout.indent === '' ? text : text.replaceAll('\n', lineStart);
  }
  const inner = layout.indent === '' ? '' : lineStart + layout.indent;
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value) {
      text += `${text === '' ? '' : ','}${inner}${yield* writing(element, layout, inner)}`;
      if (isStepDone()) yield;
    }
    return text === '' ? '[]' : `[${text}${lineStart}]`;
  }
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const name = `${layout.small(key)}${layout.colon}`;
    text += `${text === '' ? '' : ','}${inner}${name}${yield* writing(member, layout, inner)}`;
    if (isStepDone()) yield;
  }
  return text === '' ? '{}' : `{${text}${lineStart}}`;
}

/** stringifyJson in steps. */
export const stringifyingJson = (value: unknown): Work<string> => writing(value, compact, '');

/** JSON with two spaces of indentation, as Go indents, in steps; `<`, `>` and `&` stay as they are. */
export const indentingJson = (value: unknown): Work<string> => writing(value, indented, '\n');

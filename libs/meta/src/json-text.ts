import { compareBytes } from './compare-text.ts';
import { isContainer } from './unstructured.ts';
import { LazyList, textPieces, type Pieces, type TextOutput } from './lazy-list.ts';
import { setOwn } from './own-members.ts';
import { stringifyJson } from './stringify-json.ts';
import { isStepDone, type Work } from './turns.ts';

type Members = Record<string, unknown>;

/** Values with at most this many members at all depths are written by JSON.stringify. */
const maxNativeMembers = 512;

/** The members of a large object or list that are written together. */
const maxBatch = 256;

/** The indentation and line breaks of the text; all empty for compact text. */
interface Layout {
  readonly small: (value: unknown) => string;
  readonly colon: string;
  readonly indent: string;
  /** The members of objects are written in the order of their names in Go. Otherwise they are written in the order that they have. */
  readonly byName?: boolean;
}

const compact: Layout = { small: stringifyJson, colon: ':', indent: '' };

const compactByName: Layout = { ...compact, byName: true };

const plainBigints = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;

/** Two spaces of indentation, as in Go. */
const indented: Layout = {
  small: (value) => JSON.stringify(value, plainBigints, 2) ?? 'null',
  colon: ': ',
  indent: '  ',
};

/** A JSON text contains no line feed within strings, so every line feed belongs to the layout. */
const small = (value: unknown, { small: write, indent }: Layout, lineStart: string): string =>
  indent === '' ? write(value) : write(value).replaceAll('\n', lineStart);

/** The text that has been written and not been taken. */
class Output implements TextOutput {
  text = '';
  isBetweenItems = false;
  /** The names of large objects. Listing them is slow, so it is done once. */
  readonly #names = new Map<object, readonly string[]>();

  /** The names of an object's members; undefined for a list. */
  namesOf(value: object): readonly string[] | undefined {
    if (Array.isArray(value) || value instanceof LazyList) return undefined;
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const names = Object.keys(value);
    if (names.length > maxBatch) this.#names.set(value, names);
    return names;
  }

  forgetNames(): void {
    this.#names.clear();
  }

  /** The number of members of a value at all depths. Counting ends when there are more than `most`. */
  countMembers(value: object, names: readonly string[] | undefined, most: number): number {
    if (value instanceof LazyList) return most + 1;
    const members = names ?? (value as readonly unknown[]);
    let count = members.length;
    for (let i = 0; i < members.length && count <= most; i++) {
      const member = names === undefined ? members[i] : (value as Members)[names[i] ?? ''];
      if (isContainer(member)) count += this.countMembers(member, this.namesOf(member), most - count);
    }
    return count;
  }

  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }
}

function* betweenItems(out: Output): Work<void> {
  out.forgetNames();
  out.isBetweenItems = true;
  yield;
  out.isBetweenItems = false;
}

function* writing(out: Output, value: unknown, layout: Layout, lineStart: string): Work<void> {
  if (!isContainer(value)) {
    out.text += layout.small(value);
    return;
  }
  const { byName = false } = layout;
  const names = byName ? out.namesOf(value)?.toSorted(compareBytes) : out.namesOf(value);
  if (!byName && out.countMembers(value, names, maxNativeMembers) <= maxNativeMembers) {
    out.text += small(value, layout, lineStart);
    return;
  }
  // Listing the names of a large member, to count it, is a step of its own.
  if (names === undefined || names.length < maxNativeMembers) yield;
  if (layout === compact && !(value instanceof LazyList)) {
    yield* writingBatches(out, value, names);
    return;
  }
  const inner = layout.indent === '' ? '' : lineStart + layout.indent;
  const items: readonly unknown[] | LazyList = value instanceof LazyList || Array.isArray(value) ? value : [];
  const members = names ?? items;
  let isEmpty = true;
  out.text += names === undefined ? '[' : '{';
  for (let i = 0; i < members.length; i++) {
    const name = names?.[i];
    if (items instanceof LazyList) yield* betweenItems(out);
    else if (isStepDone()) yield;
    const member =
      name !== undefined ? (value as Members)[name] : items instanceof LazyList ? yield* items.item(i) : items[i];
    if (name !== undefined && member === undefined) continue;
    out.text += `${isEmpty ? '' : ','}${inner}${name === undefined ? '' : layout.small(name) + layout.colon}`;
    isEmpty = false;
    if (isContainer(member)) yield* writing(out, member, layout, inner);
    else out.text += layout.small(member);
  }
  out.text += (isEmpty ? '' : lineStart) + (names === undefined ? ']' : '}');
}

/** Writes a large object or list. JSON.stringify writes many members in a fraction of the time that a call for each of them takes. */
function* writingBatches(out: Output, value: object, names: readonly string[] | undefined): Work<void> {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const [open, close] = names === undefined ? '[]' : '{}';
  let batch: Members | unknown[] = names === undefined ? [] : {};
  let size = 0;
  let separator = '';
  const write = () => {
    const text = size === 0 ? '' : compact.small(batch).slice(1, -1);
    // All members of a batch may be undefined, which objects omit.
    if (text !== '') out.text += separator + text;
    if (text !== '') separator = ',';
    batch = names === undefined ? [] : {};
    size = 0;
  };
  out.text += open;
  for (let i = 0; i < (names ?? items).length; i++) {
    if (isStepDone()) yield;
    const name = names?.[i];
    const member = name === undefined ? items[i] : (value as Members)[name];
    const weight = 1 + (isContainer(member) ? out.countMembers(member, out.namesOf(member), maxBatch) : 0);
    if (size + weight > maxBatch) write();
    if (weight > maxBatch) {
      out.text += separator + (name === undefined ? '' : `${compact.small(name)}:`);
      separator = ',';
      yield* writing(out, member, compact, '');
      continue;
    }
    if (Array.isArray(batch)) batch.push(member);
    else setOwn(batch, name ?? '', member);
    size += weight;
  }
  write();
  out.text += close;
}

function* written(value: unknown, layout: Layout, lineStart: string): Work<string> {
  const out = new Output();
  yield* writing(out, value, layout, lineStart);
  return out.text;
}

/** stringifyJson in steps. */
export const stringifyingJson = (value: unknown): Work<string> => written(value, compact, '');

/**
 * stringifyJson in steps, with the members of all objects sorted as Go sorts the keys of a map. Slow: an object with sorted members is written
 * the same by stringifyingJson, unless a name is a number (JavaScript has it first) or has characters beyond U+FFFF.
 */
export const stringifyingSortedJson = (value: unknown): Work<string> => written(value, compactByName, '');

/** JSON with two spaces of indentation, as in Go, in steps; `<`, `>` and `&` are not escaped. */
export const indentingJson = (value: unknown): Work<string> => written(value, indented, '\n');

/** indentingJson in pieces, for documents with a LazyList. */
export function indentedPieces(value: unknown): Pieces<Buffer> {
  const out = new Output();
  return textPieces(writing(out, value, indented, '\n'), out);
}

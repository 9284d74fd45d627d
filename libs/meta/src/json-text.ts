import { compareBytes } from './compare-text.ts';
import { LazyList, type Pieces } from './lazy-list.ts';
import { stringifyJson, stringifyPlain } from './stringify-json.ts';
import { isContainer } from './unstructured.ts';

/**
 * stringifyJson with the members of all objects sorted as Go sorts the keys of a map. Slow: an object with sorted members is written the same by
 * stringifyJson, unless a name is a number (JavaScript has it first) or has characters beyond U+FFFF.
 */
export function stringifySortedJson(value: unknown): string {
  if (!isContainer(value)) return stringifyJson(value);
  if (Array.isArray(value)) return `[${value.map(stringifySortedJson).join()}]`;
  const of: Readonly<Record<string, unknown>> = { ...value };
  const names = Object.keys(of).filter((name) => of[name] !== undefined);
  const members = names.sort(compareBytes).map((name) => `${stringifyJson(name)}:${stringifySortedJson(of[name])}`);
  return `{${members.join()}}`;
}

/** JSON with two spaces of indentation, as in Go; `<`, `>` and `&` are not escaped. */
export const indentJson = (value: unknown): string => stringifyPlain(value, 2);

/** A JSON text contains no line feed within strings, so every line feed belongs to the layout. */
const indentedAt = (lineStart: string, value: unknown): string => indentJson(value).replaceAll('\n', lineStart);

/** indentJson in pieces, for documents with members that are LazyLists: a piece for each item. */
export function* indentedPieces(document: Readonly<Record<string, unknown>>): Pieces<Buffer> {
  const names = Object.keys(document).filter((name) => document[name] !== undefined);
  let text = '{';
  for (const [n, name] of names.entries()) {
    const value = document[name];
    text += `${n === 0 ? '' : ','}\n  ${indentJson(name)}: `;
    if (!(value instanceof LazyList)) {
      text += indentedAt('\n  ', value);
      continue;
    }
    text += '[';
    for (let i = 0; i < value.length; i++) {
      yield Buffer.from(text);
      text = `${i === 0 ? '' : ','}\n    ${indentedAt('\n    ', yield* value.item(i))}`;
    }
    text += value.length === 0 ? ']' : '\n  ]';
  }
  yield Buffer.from(names.length === 0 ? '{}' : `${text}\n}`);
}

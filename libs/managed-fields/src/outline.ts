import { listItemElement, ListItemError } from './list-items.ts';
import type { ListSchema, MapSchema, MergeSchema } from './merge-schema.ts';
import { isArray, isObject, type PlainObject } from './values.ts';

/** Of a longer one nothing is remembered, so nobody needs to know it. */
const maxLength = 8_192;

/** A text that Go might write for a value nobody set (nothing, `0`, `0s`) is no longer than this. */
const longestZero = 2;

/** A text of its own length needs no escapes to be told from what follows. */
const sized = (text: string): string => `${String(text.length)}"${text}`;

/**
 * A text that two values of a schema share only if a writer who brings them into being owns the same fields: names, what
 * identifies list items, and which values may be zero. It costs a fraction of the set itself.
 * Undefined for a value with list items that cannot be told apart, and for a large one. `typed` as in `compare`.
 */
export function outlineOf(schema: MergeSchema, value: unknown, typed: boolean): string | undefined {
  try {
    const outline = outlineOfValue(schema, value, typed);
    return outline.length > maxLength ? undefined : outline;
  } catch (error) {
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
}

function outlineOfValue(schema: MergeSchema, value: unknown, typed: boolean): string {
  if (typeof value === 'string') return value.length > longestZero ? 's' : sized(value);
  if (isArray(value)) return outlineOfList(schema.list, value, typed);
  if (isObject(value)) return outlineOfMap(schema.map, value, typed);
  return typeof value === 'number' && value !== 0 ? 'n' : String(value);
}

function outlineOfList(list: ListSchema | undefined, items: readonly unknown[], typed: boolean): string {
  if (items.length === 0) return '[]';
  if (list === undefined || list.atomic) return 'l';
  let text = '[';
  for (const item of items) {
    if (text.length > maxLength) return text;
    text += sized(listItemElement(list, item, typed)) + outlineOfValue(list.element, item, typed);
  }
  return `${text}]`;
}

/** Of an atomic map too: whether it counts as set depends on what is in it. */
function outlineOfMap(map: MapSchema | undefined, object: PlainObject, typed: boolean): string {
  let text = '{';
  for (const key in object) {
    if (text.length > maxLength) return text;
    const schema = map?.fields.get(key)?.schema ?? map?.element;
    text += sized(key) + (schema === undefined ? 'x' : outlineOfValue(schema, object[key], typed));
  }
  return `${text}}`;
}

import { listItemElement, ListItemError } from './list-items.ts';
import type { ListSchema, MapSchema, MergeSchema } from './merge-schema.ts';
import { isArray, isObject, type PlainObject } from './values.ts';

/** Longer outlines are not cached, so they are not completed. */
const maxLength = 8_192;

/** Go's text for a value that is not set (empty, `0`, `0s`) is not longer than this. */
const longestZero = 2;

/** A text with its length as prefix, so that no escapes are needed to separate it from the text that follows. */
const sized = (text: string): string => `${String(text.length)}"${text}`;

/**
 * A text that is the same for two values of a schema only if a creator owns the same fields of both. It contains names, the identity of list items,
 * and which values may be zero. It costs a fraction of the set itself. Undefined for a value with list items that cannot be identified, and for a
 * large value. `typed` as in `compare`.
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

/** Includes the contents of an atomic map, because they determine whether the map counts as set. */
function outlineOfMap(map: MapSchema | undefined, object: PlainObject, typed: boolean): string {
  let text = '{';
  for (const key in object) {
    if (text.length > maxLength) return text;
    const schema = map?.fields.get(key)?.schema ?? map?.element;
    text += sized(key) + (schema === undefined ? 'x' : outlineOfValue(schema, object[key], typed));
  }
  return `${text}}`;
}

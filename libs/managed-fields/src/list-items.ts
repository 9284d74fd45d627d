import type { ListSchema } from './merge-schema.ts';
import { typedValue } from './merge-schema.ts';
import { keyElement, valueElement, type PathElement } from './path-element.ts';
import { isArray, isObject, own } from './values.ts';

/** An item that cannot be identified; the message is shown to the client. */
export class ListItemError extends Error {}

/** The element that identifies an item of a set or a keyed list. Absent keys have their default value. Throws ListItemError. */
export function listItemElement(list: ListSchema, item: unknown, typed: boolean): PathElement {
  return list.keys.length > 0 ? keyedItemElement(list, item, typed) : setItemElement(item);
}

function setItemElement(item: unknown): PathElement {
  if (isObject(item)) throw new ListItemError("associative list without keys has an element that's a map type");
  if (isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (item === null || item === undefined) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  return valueElement(item);
}

function keyedItemElement(list: ListSchema, item: unknown, typed: boolean): PathElement {
  if (item === null || item === undefined) {
    throw new ListItemError('associative list with keys may not have a null element');
  }
  if (!isObject(item)) throw new ListItemError('associative list with keys may not have non-map elements');
  const keys: [string, unknown][] = [];
  for (const name of list.keys) {
    const field = list.element.map?.fields.get(name);
    const raw = own(item, name);
    const value = typed && field !== undefined ? typedValue(field, raw) : raw;
    const known = value === undefined ? field?.default : value;
    if (known !== undefined) keys.push([name, known]);
  }
  if (keys.length === 0) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
    throw new ListItemError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

/** The items by their element, in order of first appearance. Items that cannot be identified are skipped. */
export function itemsByElement(
  list: ListSchema,
  items: readonly unknown[],
  typed: boolean,
): Map<PathElement, unknown[]> {
  const out = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = elementOrUndefined(list, item, typed);
    if (element === undefined) continue;
    const known = out.get(element);
    if (known === undefined) out.set(element, [item]);
    else known.push(item);
  }
  return out;
}

export function elementOrUndefined(list: ListSchema, item: unknown, typed: boolean): PathElement | undefined {
  try {
    return listItemElement(list, item, typed);
  } catch (error) {
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
}

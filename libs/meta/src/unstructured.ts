import type { List } from './document-facts.ts';
import type { JsonObject } from './types.ts';

/** Whether a value is an object with members: not null, not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `isRecord` for values read from JSON, whose members are JSON values too. */
export const isJsonObject = (value: unknown): value is JsonObject => isRecord(value);

/** `Array.isArray` for values read from JSON. */
export const isList = (value: unknown): value is List => Array.isArray(value);

/** Whether a value contains others: an object with members, or a list, whose members are its items by index. */
export const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/**
 * Readers for JSON of unknown shape, such as custom resources and responses of other servers. Each returns an empty value if the value has
 * another type. Objects with a type in `@apichain/api` do not need them.
 */
export type Plain = Record<string, unknown>;

/** The value as an object; a new empty object if it is not one. Do not write to it: use `ensureRecord` for that. */
export const record = (value: unknown): Plain => (isRecord(value) ? value : {});

/** A member of the object, created if absent, for writing. */
export function ensureRecord(parent: Plain, name: string): Plain {
  const present = parent[name];
  if (isRecord(present)) return present;
  const made: Plain = {};
  parent[name] = made;
  return made;
}

/** The items of a list; none if the value is not a list. Do not write to it. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** The objects in a list; the list itself if all items are objects. Do not write to it. */
export function records(value: unknown): readonly Plain[] {
  if (!Array.isArray(value)) return nothing;
  return value.every(isRecord) ? value : value.filter(isRecord);
}
const nothing: readonly Plain[] = Object.freeze([]);
/** A string; empty if the value is not one. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
/** The strings in a list; other items are omitted. */
export const texts = (value: unknown): string[] => list(value).filter((item) => typeof item === 'string');

import { isRecord } from '@apichain/meta';

/**
 * Reading plain API objects without trusting their shape: each reader answers with an empty value where the field has another type.
 */
export type Plain = Record<string, unknown>;

export { formatMicroTime, formatTime } from '@apichain/go-text';
export { isRecord };

/** The value as an object; a fresh empty one when it is none. Do not write to it: use `ensureRecord` for that. */
export const record = (value: unknown): Plain => (isRecord(value) ? value : {});

/** The object's member, created when absent, for writing. */
export function ensureRecord(parent: Plain, name: string): Plain {
  const present = parent[name];
  if (isRecord(present)) return present;
  const made: Plain = {};
  parent[name] = made;
  return made;
}

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** The objects of a list; the list itself where it holds nothing else. Do not write to it. */
export function records(value: unknown): readonly Plain[] {
  if (!Array.isArray(value)) return nothing;
  return value.every(isRecord) ? value : value.filter(isRecord);
}
const nothing: readonly Plain[] = Object.freeze([]);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const texts = (value: unknown): string[] => list(value).filter((v) => typeof v === 'string');

/** An integer of the API; bigints (beyond 2^53) come as the nearest number, anything else as 0. */
export function integer(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : 0;
}

/** As Object.entries, in a quarter of its time for maps of 100,000s of members, which V8 keeps as hash tables. */
export const entriesOf = <T>(map: Readonly<Record<string, T>>): [string, T][] =>
  Object.keys(map).map((name) => [name, map[name] as T]);

/** The same in the order of the names. */
export const sortedEntriesOf = <T>(map: Readonly<Record<string, T>>): [string, T][] =>
  Object.keys(map)
    .sort()
    .map((name) => [name, map[name] as T]);

/** A map of the members of all; the last one of a name counts. */
export const merged = (...maps: readonly Plain[]): Plain => Object.fromEntries(maps.flatMap(entriesOf));

/** The string entries of a map such as labels. */
export function textMap(value: unknown): Record<string, string> {
  const map = record(value);
  const entries: [string, string][] = [];
  for (const name of Object.keys(map)) {
    const member = map[name];
    if (typeof member === 'string') entries.push([name, member]);
  }
  return Object.fromEntries(entries);
}

/** Walks members by name; undefined as soon as one is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isRecord(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Sets the member, or removes it when the value is undefined. */
export function assign(parent: Plain, name: string, value: unknown): void {
  if (value === undefined) delete parent[name];
  else parent[name] = value;
}

/** The condition of that type in a condition list. */
export const condition = (conditions: unknown, type: string): Plain | undefined =>
  records(conditions).find((c) => c.type === type);

import { isRecord } from './is-record.ts';

/**
 * Reading JSON of unknown shape, such as custom resources and what other servers answer: each reader answers with an
 * empty value where the member has another type. What has a type (`@apichain/api`) needs none of these.
 */
export type Plain = Record<string, unknown>;

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

/** The items of a list; none when the value is no list. Do not write to it. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** The objects of a list; the list itself where it holds nothing else. Do not write to it. */
export function records(value: unknown): readonly Plain[] {
  if (!Array.isArray(value)) return nothing;
  return value.every(isRecord) ? value : value.filter(isRecord);
}
const nothing: readonly Plain[] = Object.freeze([]);
/** A text; empty when the value is none. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
/** The texts of a list; other items are left out. */
export const texts = (value: unknown): string[] => list(value).filter((item) => typeof item === 'string');

import { isRecord } from '@apichain/meta';

/*
 * Reading plain API objects without trusting their shape: each reader answers with an empty value where the field has another type.
 */
export type Plain = Record<string, unknown>;

export { isRecord };
const nothing: Plain = Object.freeze({});
/** The value as an object; an empty one, not to be written to, when it is none. */
export const record = (value: unknown): Plain => (isRecord(value) ? value : nothing);
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const records = (value: unknown): Plain[] => list(value).filter(isRecord);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const texts = (value: unknown): string[] => list(value).filter((item) => typeof item === 'string');
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** An integer of the API; bigints (beyond 2^53) come as the nearest number, anything else as undefined. */
export function integer(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : undefined;
}

/** The object's member, created when absent, for writing. */
export function ensureRecord(parent: Plain, name: string): Plain {
  const present = parent[name];
  if (isRecord(present)) return present;
  const made: Plain = {};
  parent[name] = made;
  return made;
}

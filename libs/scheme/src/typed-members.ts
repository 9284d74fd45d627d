import { isRecord } from '@apichain/meta';
import { jsonKind } from './scalar-decoders.ts';

/*
 * What Go's decoder reads into a field of a type from JSON of others. Null sets nothing, so it is the same as an absent member: the field keeps its
 * zero value. A value of another type is an error with the text of Go's decoder.
 */

/** Throws Error unless the value is a text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isAbsent(value)) return '';
  throw notOfType(value, 'string');
}

/** Throws Error unless the value is a boolean. */
export function asBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (isAbsent(value)) return false;
  throw notOfType(value, 'bool');
}

/** Throws Error unless the value is a list of texts. */
export function asTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(asText);
  if (isAbsent(value)) return [];
  throw notOfType(value, '[]string');
}

/** Throws Error unless the value is an object. `type`: Go's name of the type. */
export function asMembers(value: unknown, type: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  if (isAbsent(value)) return {};
  throw notOfType(value, type);
}

/** Whether a member is absent or null. */
export const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

const notOfType = (value: unknown, type: string): Error =>
  new Error(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`);

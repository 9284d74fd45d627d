import { field, isConfigMapKey, type FieldError, type KubeObject } from '@apichain/meta';
import { isSet, record } from '../fields.ts';
import { semanticEqual } from '../strategies/equality.ts';
import { isGivenEmpty } from './common/rules.ts';

/** How much the values of a ConfigMap or Secret may hold together, in bytes. */
export const maxDataBytes = 1024 * 1024;

export const sortedKeys = (map: unknown): string[] => Object.keys(record(map)).toSorted();

export const keyErrors = (path: string, map: unknown): FieldError[] =>
  field.collectEach(sortedKeys(map), (name) =>
    isConfigMapKey(name).map((message) => field.invalid(field.key(path, name), name, message)),
  );

/** The bytes that base64 text stands for. */
export const decodedLength = (value: unknown): number =>
  typeof value === 'string' ? Buffer.byteLength(value, 'base64') : 0;

/** What an object marked immutable does not let change. */
export function immutableErrors(object: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const unmarked = object.immutable === true ? [] : [field.forbidden('immutable', detail)];
  // Go compares deeply here, to which an empty map is not an absent one.
  const isEmptied = (name: string) => isGivenEmpty(object, name) && !isSet(old[name]);
  const changed = fields.filter((name) => isEmptied(name) || !semanticEqual(object[name], old[name]));
  return [...unmarked, ...changed.map((name) => field.forbidden(name, detail))];
}

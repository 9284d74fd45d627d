import type { ConfigMap, Secret } from '@apichain/api/core/v1';
import type { Bytes } from '@apichain/api/scalars';
import { field, isConfigMapKey, isSet, semanticEqual, type FieldError } from '@apichain/meta';
import { isGivenEmpty } from './common/rules.ts';

/** The maximum total size of the values of a ConfigMap or Secret, in bytes. */
export const maxDataBytes = 1024 * 1024;

/** The errors of a map's keys, including the messages of `further`, ordered by key. Only invalid keys are sorted. */
export function keyErrors(
  path: string,
  map: Readonly<Record<string, string>>,
  further: (name: string) => readonly string[] = () => [],
): FieldError[] {
  const wrong = new Map<string, readonly string[]>();
  for (const name of Object.keys(map)) {
    const messages = isConfigMapKey(name);
    const others = further(name);
    if (messages.length + others.length > 0) wrong.set(name, [...messages, ...others]);
  }
  return field.collect((out) => {
    for (const name of [...wrong.keys()].sort()) {
      for (const message of wrong.get(name) ?? []) out.push(field.invalid(field.key(path, name), name, message));
    }
  });
}

/** The number of bytes that a base64 text encodes. */
export const decodedLength = (value: Bytes | undefined): number => Buffer.byteLength(value ?? '', 'base64');

/** The errors of changes to an object that is marked immutable. */
export function immutableErrors<T extends ConfigMap | Secret>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const unmarked = object.immutable === true ? [] : [field.forbidden('immutable', detail)];
  // Go compares deeply here, so an empty map differs from an absent one.
  const isEmptied = (name: keyof T & string) => isGivenEmpty(object, name) && !isSet(old[name]);
  const changed = fields.filter((name) => isEmptied(name) || !semanticEqual(object[name], old[name]));
  return [...unmarked, ...changed.map((name) => field.forbidden(name, detail))];
}

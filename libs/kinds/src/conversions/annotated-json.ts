import type { TypesByName } from '@apichain/api/types-by-name';
import { assign, isRecord, isSet, JsonNumberError, JsonSyntaxError, parseJson, type Plain } from '@apichain/meta';
import { DecodeError, decodeObject, type Type } from '@apichain/scheme';
import { builtinTypes } from '../types.ts';

/** Member names match regardless of case, as in Go's encoding/json; among several matches the last one counts. */
function withNamesOf(type: Type, value: unknown): unknown {
  if (type.kind === 'array' && type.items !== undefined && Array.isArray(value)) {
    const { items } = type;
    return value.map((item) => withNamesOf(items, item));
  }
  if (type.kind !== 'object' || type.fields === undefined || !isRecord(value)) return value;
  const fields = new Map(type.fields.map((field) => [field.name.toLowerCase(), field]));
  const result: Plain = {};
  for (const [name, member] of Object.entries(value)) {
    const field = type.byName?.get(name) ?? fields.get(name.toLowerCase());
    if (field !== undefined) assign(result, field.name, withNamesOf(field.type, member));
  }
  return result;
}

const read = <Name extends keyof TypesByName>(value: unknown, name: Name): TypesByName[Name] => {
  const type = builtinTypes.type(name);
  return decodeObject(withNamesOf(type, value), type, { keepEmpty: true }).object as TypesByName[Name];
};

/** Undefined when the text is not JSON or a value does not fit; conversions ignore such annotations. */
function unlessMisfit<T>(text: string | undefined, use: (value: unknown) => T): T | undefined {
  if (text === undefined) return undefined;
  try {
    return use(parseJson(text));
  } catch (error) {
    const misfit = [DecodeError, JsonSyntaxError, JsonNumberError].some((type) => error instanceof type);
    if (misfit) return undefined;
    throw error;
  }
}

/** Decodes the JSON in an annotation as a value of a type of the table. */
export const objectIn = <Name extends keyof TypesByName>(
  text: string | undefined,
  type: Name,
): TypesByName[Name] | undefined => unlessMisfit(text, (value) => (isSet(value) ? read(value, type) : undefined));

/** Decodes the JSON in an annotation as a list of values of the type; a null item becomes an empty value. */
export const listIn = <Name extends keyof TypesByName>(
  text: string | undefined,
  type: Name,
): TypesByName[Name][] | undefined =>
  unlessMisfit(text, (value) => {
    if (!isSet(value)) return [];
    if (!Array.isArray(value)) throw new DecodeError('not a list');
    return value.map((item: unknown) => read(item ?? {}, type));
  });

import { oncePerObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { mergeSchemaOf, type MergeSchema } from './merge-schema.ts';
import { formatErrors, repeatedItem, validate } from './validate.ts';

/** The type errors of a written value. A repeated list item is not an error there. */
export const misfitsOf = (schema: MergeSchema, value: unknown): string[] =>
  validate(schema, value).filter((error) => !error.includes(repeatedItem));

export const hasMisfit = (schema: MergeSchema, value: unknown): boolean => misfitsOf(schema, value).length > 0;

const composite: ReadonlySet<Type['kind']> = new Set(['object', 'map', 'array', 'json']);

/**
 * Whether validation of a custom resource accepts values that do not match the type: a list or an object for a string with a format, or lists and
 * objects as items of a set.
 */
export function admitsMisfits({ kind, validation, fields = [], values, items, listType }: Type): boolean {
  if (kind === 'string') return validation?.format !== undefined;
  if (listType === 'set' && items !== undefined && composite.has(items.kind)) return true;
  const inner = fields.filter((field) => field.name !== 'metadata').map((field) => field.type);
  if (values !== undefined) inner.push(values);
  if (items !== undefined) inner.push(items);
  return inner.some(admitsMisfits);
}

/**
 * Like admitsMisfits, for built-in types: whether Go may write a keyed list item without any key, such as a Secret of a ServiceAccount without a
 * name.
 */
export const admitsKeylessItems = oncePerObject((type: Type) => findsKeylessItems(type, new Set()));

function findsKeylessItems(type: Type, seen: Set<Type>): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  const { fields = [], values, items, listType, listMapKeys = [] } = type;
  const isLeftOut = (key: string): boolean => {
    const field = items?.byName?.get(key);
    return field?.omitempty === true && field.default === undefined;
  };
  if (listType === 'map' && listMapKeys.every(isLeftOut)) return true;
  const inner = fields.filter((field) => field.name !== 'metadata').map((field) => field.type);
  return [...inner, values, items].some((part) => part !== undefined && findsKeylessItems(part, seen));
}

/**
 * Why a value does not match the type, with the messages of structured-merge-diff; undefined = it matches. `mayRepeat`: lists may contain duplicate
 * items.
 */
export function typeErrors(type: Type, value: unknown, mayRepeat = false): string | undefined {
  const schema = mergeSchemaOf(type);
  const errors = mayRepeat ? misfitsOf(schema, value) : validate(schema, value);
  return errors.length === 0 ? undefined : formatErrors(errors);
}

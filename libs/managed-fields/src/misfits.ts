import type { Type } from '@apichain/scheme';
import { mergeSchemaOf, type MergeSchema } from './merge-schema.ts';
import { formatErrors, repeatedItem, validate } from './validate.ts';

/** Whether something in a written value is not of its type. That a list repeats an item does not matter there. */
export const hasMisfit = (schema: MergeSchema, value: unknown): boolean =>
  validate(schema, value).some((error) => !error.includes(repeatedItem));

/** Whether validation lets something pass that is not of the type: a list or an object for a string that has a format. */
export function admitsMisfits({ kind, validation, fields = [], values, items }: Type): boolean {
  if (kind === 'string') return validation?.format !== undefined;
  const inner = fields.filter((field) => field.name !== 'metadata').map((field) => field.type);
  if (values !== undefined) inner.push(values);
  if (items !== undefined) inner.push(items);
  return inner.some(admitsMisfits);
}

/** What keeps a value from being of the type, in the words of structured-merge-diff; undefined = nothing. */
export function typeErrors(type: Type, value: unknown): string | undefined {
  const errors = validate(mergeSchemaOf(type), value);
  return errors.length === 0 ? undefined : formatErrors(errors);
}

import type { Field, Type } from './type.ts';

/** The type of an object with these fields. */
export const structOf = (name: string, fields: readonly Field[]): Type => ({
  kind: 'object',
  name,
  fields,
  byName: new Map(fields.map((field) => [field.name, field])),
});

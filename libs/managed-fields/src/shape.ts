import type { MergeSchema } from './merge-schema.ts';
import { isArray, isObject, isScalar } from './values.ts';

export type Shape = 'map' | 'list' | 'scalar';

/** The shape under which a value is handled; undefined when the schema has no place for it, or it is null. */
export function shapeOf(schema: MergeSchema, value: unknown): Shape | undefined {
  if (isScalar(value)) return schema.scalar === undefined ? undefined : 'scalar';
  if (isArray(value)) return schema.list === undefined ? undefined : 'list';
  return isObject(value) && schema.map !== undefined ? 'map' : undefined;
}

/** The shape that stands in when a value's own is unknown. */
export function defaultShape(schema: MergeSchema): Shape {
  if (schema.map !== undefined) return 'map';
  return schema.scalar !== undefined ? 'scalar' : 'list';
}

/**
 * The shapes to handle a pair under: one when both agree or one side is absent (undefined), two when they differ. The
 * last one decides what the result looks like.
 */
export function shapesOfPair(schema: MergeSchema, lhs: unknown, rhs: unknown): [Shape] | [Shape, Shape] {
  const fallback = defaultShape(schema);
  const left = shapeOf(schema, lhs);
  const right = shapeOf(schema, rhs);
  if (rhs === undefined) return [left ?? fallback];
  if (lhs === undefined) return [right ?? fallback];
  const agree = left === right || (schema.single && (left ?? fallback) === (right ?? fallback));
  return agree ? [right ?? fallback] : [left ?? fallback, right ?? fallback];
}

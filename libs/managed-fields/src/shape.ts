import type { MergeSchema } from './merge-schema.ts';
import { isArray, isObject, isScalar } from './values.ts';

export type Shape = 'map' | 'list' | 'scalar';

/** The shape of a value; undefined when the schema does not allow it, or the value is null. */
export function shapeOf(schema: MergeSchema, value: unknown): Shape | undefined {
  if (isScalar(value)) return schema.scalar === undefined ? undefined : 'scalar';
  if (isArray(value)) return schema.list === undefined ? undefined : 'list';
  return isObject(value) && schema.map !== undefined ? 'map' : undefined;
}

/** The shape used when the shape of the value itself is unknown. */
export function defaultShape(schema: MergeSchema): Shape {
  if (schema.map !== undefined) return 'map';
  return schema.scalar !== undefined ? 'scalar' : 'list';
}

/**
 * The shapes used for a pair of values: one when both agree or one side is absent (undefined), two when they differ. The last one determines the
 * form of the result.
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

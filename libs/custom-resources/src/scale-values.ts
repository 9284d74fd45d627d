import { field, type FieldError } from '@apichain/meta';
import { goFormat } from '@apichain/go-text';
import type { CrdSubresources } from '@apichain/schema';

type ScalePaths = NonNullable<CrdSubresources['scale']>;

const maxInt32 = 2 ** 31 - 1;

/** Validates the replica counts of a Scale, which the schema may not restrict. */
export function validateScaleSpec(object: Record<string, unknown>, scale: ScalePaths | undefined): FieldError[] {
  return scale === undefined ? [] : replicasErrors(object, scale.specReplicasPath ?? '');
}

export function validateScaleStatus(object: Record<string, unknown>, scale: ScalePaths | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = replicasErrors(object, scale.statusReplicasPath ?? '');
  const { labelSelectorPath: path } = scale;
  if (!path) return errors;
  const { value, problem } = lookUp(object, path);
  const isText = value === undefined || typeof value === 'string';
  const message = problem ?? (isText ? undefined : accessorError(path, value, 'string'));
  if (message !== undefined) errors.push(field.invalid(path, '', message));
  return errors;
}

/** The value at a JSON path of names, such as `.spec.replicas`; undefined if it is absent. */
export const at = (object: unknown, jsonPath: string): unknown => lookUp(object, jsonPath).value;

interface Found {
  /** undefined = the value is absent. */
  readonly value: unknown;
  /** Set when an element on the path has no members, except for null. */
  readonly problem?: string;
}

function lookUp(object: unknown, jsonPath: string): Found {
  let value = object;
  const names = jsonPath.replace(/^\./, '').split('.');
  for (const [i, name] of names.entries()) {
    if (value === null) return { value: undefined };
    if (typeof value !== 'object' || Array.isArray(value)) {
      const path = `.${names.slice(0, i + 1).join('.')}`;
      return { value: undefined, problem: accessorError(path, value, 'map[string]interface{}') };
    }
    if (!Object.hasOwn(value, name)) return { value: undefined };
    value = (value as Record<string, unknown>)[name];
  }
  return { value };
}

const accessorError = (path: string, value: unknown, expected: string): string =>
  `${path} accessor error: ${goFormat(value)} is of the type ${goType(value)}, expected ${expected}`;

function replicasErrors(object: Record<string, unknown>, path: string): FieldError[] {
  const { value, problem } = lookUp(object, path);
  if (problem !== undefined) return [field.invalid(path, 0, problem)];
  if (value === undefined) return [];
  if (!isInt64(value)) return [field.invalid(path, 0, accessorError(path, value, 'int64'))];
  if (value < 0) return [field.invalid(path, value, 'should be a non-negative integer')];
  if (value > maxInt32) return [field.invalid(path, value, `should be less than or equal to ${maxInt32}`)];
  return [];
}

/** Integers that are too large have been parsed as floats. */
const isInt64 = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63);

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return isInt64(value) ? 'int64' : 'float64';
  return { string: 'string', boolean: 'bool', bigint: 'int64' }[typeof value as string] ?? 'map[string]interface {}';
}

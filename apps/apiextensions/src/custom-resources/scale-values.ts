import { field, stringifyJson, type FieldError } from '@apichain/meta';
import type { CrdSubresources } from '@apichain/schema';

type ScalePaths = NonNullable<CrdSubresources['scale']>;

const maxInt32 = 2 ** 31 - 1;

/** The replica counts that a Scale shows must be counts. Nothing else says so when the schema does not. */
export function validateScaleSpec(object: Record<string, unknown>, scale: ScalePaths | undefined): FieldError[] {
  return scale === undefined ? [] : replicasErrors(object, scale.specReplicasPath ?? '');
}

export function validateScaleStatus(object: Record<string, unknown>, scale: ScalePaths | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = replicasErrors(object, scale.statusReplicasPath ?? '');
  const selector = scale.labelSelectorPath ? at(object, scale.labelSelectorPath) : undefined;
  if (selector !== undefined && typeof selector !== 'string')
    errors.push(
      field.invalid(
        scale.labelSelectorPath ?? '',
        '',
        `${scale.labelSelectorPath ?? ''} accessor error: ${goValue(selector)} is of the type ${goType(selector)}, expected string`,
      ),
    );
  return errors;
}

export function at(object: unknown, jsonPath: string): unknown {
  let value = object;
  for (const name of jsonPath.replace(/^\./, '').split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function replicasErrors(object: Record<string, unknown>, path: string): FieldError[] {
  const value = at(object, path);
  if (value === undefined) return [];
  if (typeof value !== 'bigint' && !Number.isInteger(value))
    return [
      field.invalid(
        path,
        0,
        `${path} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected int64`,
      ),
    ];
  const replicas = Number(value);
  if (replicas < 0) return [field.invalid(path, replicas, 'should be a non-negative integer')];
  if (replicas > maxInt32) return [field.invalid(path, replicas, `should be less than or equal to ${maxInt32}`)];
  return [];
}

const goValue = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value));

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return { string: 'string', boolean: 'bool', bigint: 'int64' }[typeof value as string] ?? 'map[string]interface {}';
}

import { isRecord } from '@apichain/meta';
import { DecodeError, DecodeState } from './decode-state.ts';
import { codecFor } from './decoder.ts';
import { goTypeName } from './go-type-name.ts';
import type { Type, TypeKind } from './type.ts';

/** reflect.Kind of an untyped value. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64';
}

/** The values that a Go scalar accepts, and those that Go could convert to it but JSON could not. */
const scalars: Partial<
  Record<TypeKind, { readonly fits: readonly string[]; readonly convertible: readonly string[] }>
> = {
  string: { fits: ['string'], convertible: ['int64'] },
  integer: { fits: ['int64'], convertible: ['float64'] },
  number: { fits: ['int64', 'float64'], convertible: [] },
  boolean: { fits: ['bool'], convertible: [] },
};

const goScalarKinds: Partial<Record<TypeKind, string>> = { string: 'string', number: 'float64', boolean: 'bool' };
const goScalarKind = (type: Type): string => goScalarKinds[type.kind] ?? type.format ?? 'int64';

function scalarError(type: Type, value: unknown): string | undefined {
  const rule = scalars[type.kind];
  const kind = kindOf(value);
  if (rule === undefined || rule.fits.includes(kind)) return undefined;
  if (rule.convertible.includes(kind)) return `cannot convert ${kind} to ${goTypeName(type)}`;
  return `unrecognized type: ${goScalarKind(type)}`;
}

/** The error of a type with its own decoder, which is also used here. */
function ownError(type: Type, value: unknown): string | undefined {
  try {
    codecFor(type).decode(value, new DecodeState(undefined, false, false));
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

function bytesError(type: Type, value: unknown): string | undefined {
  if (typeof value !== 'string') return Array.isArray(value) ? undefined : `cannot restore slice from ${kindOf(value)}`;
  const problem = ownError(type, value);
  return problem === undefined ? undefined : `error decoding from json: ${problem}`;
}

function firstError(values: Iterable<readonly [Type, unknown]>): string | undefined {
  for (const [type, value] of values) {
    const problem = unstructuredError(value, type);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function arrayError(items: Type, value: unknown): string | undefined {
  if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`;
  return firstError(value.map((item: unknown) => [items, item] as const));
}

function mapError(values: Type, value: unknown): string | undefined {
  if (!isRecord(value)) return `cannot restore map from ${kindOf(value)}`;
  return firstError(Object.values(value).map((item) => [values, item] as const));
}

function structError(type: Type, value: unknown): string | undefined {
  if (!isRecord(value)) return `cannot restore struct from: ${kindOf(value)}`;
  const fields = type.fields ?? [];
  return firstError(
    fields.filter(({ name }) => Object.hasOwn(value, name)).map((field) => [field.type, value[field.name]] as const),
  );
}

/**
 * The reason why an untyped value does not fit the type, with the message of the converter that strategic merge patches use: fields in the
 * order of the type, and no path. Undefined if the value fits.
 * Source: FromUnstructured of k8s.io/apimachinery/pkg/runtime.
 */
export function unstructuredError(value: unknown, type: Type): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (scalars[type.kind] !== undefined) return scalarError(type, value);
  if (type.kind === 'bytes') return bytesError(type, value);
  if (type.kind === 'array' && type.items !== undefined) return arrayError(type.items, value);
  if (type.kind === 'map' && type.values !== undefined) return mapError(type.values, value);
  return type.kind === 'object' ? structError(type, value) : ownError(type, value);
}

import { formatDuration, parseDuration } from '@apichain/go-text';
import { errorMessage, ownText, parseQuantity, trimQuantity } from '@apichain/meta';
import type { DecodeState } from './decode-state.ts';
import { DecodeError } from './decode-state.ts';
import { goTypeName } from './go-type-name.ts';
import { normalizeBase64 } from './scalars/base64.ts';

import { normalizeMicroTime, normalizeTime } from '@apichain/go-text';
import type { Type, TypeKind } from './type.ts';

/** Converts a JSON value that is neither null nor undefined to the form that Go's encoder writes. */
export type Decoder = (value: unknown, state: DecodeState) => unknown;

/** The name of a JSON value's type in UnmarshalTypeError. */
export function jsonKind(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** The number as the client wrote it, if the parser has recorded that. */
const literalOf = (value: unknown, state: DecodeState): string => state.literal() ?? String(value);

const textDecoder =
  (goType: string): Decoder =>
  (value, state) =>
    typeof value === 'string' ? value : state.wrongType(jsonKind(value), goType);

const int64Limit = 1n << 63n;

function fitsInteger(value: number | bigint, format: string): boolean {
  if (typeof value === 'bigint') return format !== 'int32' && value >= -int64Limit && value < int64Limit;
  if (format === 'int32') return (value | 0) === value;
  return Number.isInteger(value) && Math.abs(value) < Number(int64Limit);
}

const isInt64 = (value: number | bigint): boolean => fitsInteger(value, 'int64');

function integerDecoder(format: string, goType: string): Decoder {
  return (value, state) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return state.wrongType(jsonKind(value), goType);
    if (!fitsInteger(value, format) || state.literal() !== undefined) {
      if (state.unstructured && format === 'int32' && isInt64(value)) return Number(BigInt.asIntN(32, BigInt(value)));
      return state.wrongType(`number ${literalOf(value, state)}`, goType);
    }
    return value === 0 ? 0 : value;
  };
}

const numberDecoder =
  (goType: string): Decoder =>
  (value, state) => {
    if (typeof value === 'number')
      return Number.isFinite(value) ? value : state.wrongType(`number ${literalOf(value, state)}`, goType);
    return typeof value === 'bigint' ? Number(value) : state.wrongType(jsonKind(value), goType);
  };

const booleanDecoder =
  (goType: string): Decoder =>
  (value, state) =>
    typeof value === 'boolean' ? value : state.wrongType(jsonKind(value), goType);

/** A text with its own format. The error of the format's reader is the whole message, without a path. */
const formattedDecoder =
  (goType: string, normalize: (text: string) => unknown): Decoder =>
  (value, state) => {
    if (typeof value !== 'string') return state.endWithWrongType(jsonKind(value), goType);
    try {
      return normalize(value);
    } catch (error) {
      throw new DecodeError(errorMessage(error));
    }
  };

const isByte = (value: unknown): value is number => typeof value === 'number' && (value & 255) === value;

/** A []byte: base64, or a list of bytes. Like a wrong type, invalid base64 is an error after which Go reads on. */
const bytesDecoder =
  (goType: string): Decoder =>
  (value, state) => {
    if (Array.isArray(value)) {
      const odd: unknown = value.find((item) => item !== null && !isByte(item));
      if (odd === undefined) return Buffer.from(value.map((item) => (isByte(item) ? item : 0))).toString('base64');
      return state.wrongType(typeof odd === 'number' ? `number ${odd}` : jsonKind(odd), 'uint8');
    }
    if (typeof value !== 'string') return state.wrongType(jsonKind(value), goType);
    try {
      return normalizeBase64(value);
    } catch (error) {
      return state.fail(new DecodeError(errorMessage(error)));
    }
  };

const decodeIntOrString: Decoder = (value, state) => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' && typeof value !== 'bigint') return state.endWithWrongType(jsonKind(value), 'int32');
  if (!fitsInteger(value, 'int32') || state.literal() !== undefined) {
    return state.endWithWrongType(`number ${literalOf(value, state)}`, 'int32');
  }
  return value === 0 ? 0 : value;
};

/** Cache of canonical quantities by text: objects use few different ones, and each is read several times. */
const canonicalQuantities = new Map<string, string>();
const maxQuantities = 4096;
const longestQuantity = 32;

function canonicalQuantity(text: string): string {
  const known = canonicalQuantities.get(text);
  if (known !== undefined) return known;
  const canonical = parseQuantity(trimQuantity(text)).toString();
  if (text.length > longestQuantity) return canonical;
  if (canonicalQuantities.size >= maxQuantities) canonicalQuantities.clear();
  // The text may be a part of a whole request.
  canonicalQuantities.set(ownText(text), canonical);
  return canonical;
}

const decodeQuantity: Decoder = (value, state) => {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? '{' : literalOf(value, state);
  try {
    return canonicalQuantity(text);
  } catch (error) {
    throw new DecodeError(errorMessage(error));
  }
};

const keep: Decoder = (value) => value;

/** The same value with the members of its objects sorted, as Go writes maps. */
export function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = value as Record<string, unknown>;
  const names = Object.keys(members).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(members[name])]));
}

/** An object of any kind, which is kept as written. */
const decodeRaw: Decoder = (value, state) => (state.unstructured ? inOrder(value) : value);

/** The decoder of a type that contains no other types. */
export function scalarDecoder(type: Type): Decoder {
  const goType = goTypeName(type);
  const makers: Partial<Record<TypeKind, () => Decoder>> = {
    string: () => textDecoder(goType),
    integer: () => integerDecoder(type.format ?? 'int64', goType),
    number: () => numberDecoder(goType),
    boolean: () => booleanDecoder(goType),
    bytes: () => bytesDecoder(goType),
    time: () => formattedDecoder('string', normalizeTime),
    microTime: () => formattedDecoder('string', normalizeMicroTime),
    duration: () => formattedDecoder('string', (text) => formatDuration(parseDuration(text))),
    quantity: () => decodeQuantity,
    intOrString: () => decodeIntOrString,
    rawExtension: () => decodeRaw,
  };
  return makers[type.kind]?.() ?? keep;
}

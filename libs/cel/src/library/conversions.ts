import { parseDuration } from '@apichain/go-text';
import {
  asBool,
  asBytes,
  asCidr,
  asDouble,
  asDuration,
  asInt,
  asIp,
  asList,
  asMap,
  asText,
  asTimestamp,
  asUint,
  global,
  member,
  typeName,
  type Library,
} from '../overload.ts';
import * as types from '../types.ts';
import { declaredName } from '../types.ts';
import type { Timestamp } from '../values.ts';
import { Duration, EvaluationError, TypeValue, type Uint, type Value } from '../values.ts';
import { formatCidr, formatIp, ipType, cidrType } from './addresses.ts';
import { durationText, formatDouble } from './number-text.ts';
import { toInt64, toTimestamp, toUint64 } from './operators.ts';
import { floorDiv, formatTimestamp, parseTimestamp } from './timestamps.ts';

const { bool, int, uint, double, string, bytes, timestamp, duration } = types;
const a = types.param('A');
const b = types.param('B');

function intFromDouble(value: number): bigint {
  if (!Number.isFinite(value) || value <= -9223372036854775808 || value >= 9223372036854775808)
    throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}
function uintFromDouble(value: number): Uint {
  if (!Number.isFinite(value) || value < 0 || value >= 18446744073709551616)
    throw new EvaluationError('unsigned integer overflow');
  return toUint64(BigInt(Math.trunc(value)));
}

/** The error for a text that cannot be converted. */
const notConvertible = (type: types.CelType) =>
  new EvaluationError(`type conversion error from 'string' to '${declaredName(type)}'`);

/** The number of digits of 2^64 - 1. */
const mostDigits = 20;

function parseInteger(text: string, syntax: RegExp, bits: (n: bigint) => bigint, type: types.CelType): bigint {
  // A text with more digits than any integer has is rejected early, because parsing it would take long.
  if (!syntax.test(text) || text.replace(/^[+-]?0*/, '').length > mostDigits) throw notConvertible(type);
  const value = BigInt(text.replace(/^\+/, ''));
  if (bits(value) !== value) throw notConvertible(type);
  return value;
}

const decimalDouble = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
function parseDouble(text: string): number {
  if (decimalDouble.test(text) && Number.isFinite(Number(text))) return Number(text);
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  throw notConvertible(double);
}

function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw notConvertible(bool);
}

/** Parses a duration. Throws EvaluationError. */
export function durationFromText(text: string): Duration {
  try {
    return new Duration(parseDuration(text));
  } catch {
    throw notConvertible(duration);
  }
}

/** Parses a timestamp. Throws EvaluationError. */
export function timestampFromText(text: string): Timestamp {
  const time = parseTimestamp(text);
  if (time === undefined) throw notConvertible(timestamp);
  return toTimestamp(time.ns, time.offset);
}

/** A time from seconds since 1970. Throws EvaluationError if it is before year 1 or after year 9999. */
export const timestampFromSeconds = (seconds: bigint): Timestamp => toTimestamp(seconds * 1_000_000_000n);

function textFromBytes(value: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const size = (id: string, type: types.CelType, run: (v: Value | undefined) => number) => [
  global(`size_${id}`, [type], int, (v) => BigInt(run(v))),
  member(`${id}_size`, [type], int, (v) => BigInt(run(v))),
];

/** The functions for conversions between types, `size` and `type`. */
export const conversionLibrary: Library = {
  size: [
    ...size('bytes', bytes, (v) => asBytes(v).length),
    ...size('list', types.list(a), (v) => asList(v).size),
    ...size('map', types.map(a, b), (v) => asMap(v).size),
    ...size('string', string, (v) => codePoints(asText(v))),
  ],
  type: [global('type', [a], types.typeOf(a), (v) => new TypeValue(typeName(v ?? null)))],
  dyn: [global('to_dyn', [a], types.dyn, (v) => v ?? null)],
  bool: [
    global('bool_to_bool', [bool], bool, (v) => asBool(v)),
    global('string_to_bool', [string], bool, (v) => parseBool(asText(v))),
  ],
  bytes: [
    global('bytes_to_bytes', [bytes], bytes, (v) => asBytes(v)),
    global('string_to_bytes', [string], bytes, (v) => Buffer.from(asText(v))),
  ],
  double: [
    global('double_to_double', [double], double, (v) => asDouble(v)),
    global('int64_to_double', [int], double, (v) => Number(asInt(v))),
    global('string_to_double', [string], double, (v) => parseDouble(asText(v))),
    global('uint64_to_double', [uint], double, (v) => Number(asUint(v).value)),
  ],
  duration: [
    global('duration_to_duration', [duration], duration, (v) => asDuration(v)),
    global('int64_to_duration', [int], duration, (v) => new Duration(asInt(v))),
    global('string_to_duration', [string], duration, (v) => durationFromText(asText(v))),
  ],
  int: [
    global('double_to_int64', [double], int, (v) => intFromDouble(asDouble(v))),
    global('duration_to_int64', [duration], int, (v) => asDuration(v).ns),
    global('int64_to_int64', [int], int, (v) => asInt(v)),
    global('string_to_int64', [string], int, (v) =>
      parseInteger(asText(v), /^[+-]?\d+$/, (n) => BigInt.asIntN(64, n), int),
    ),
    global('timestamp_to_int64', [timestamp], int, (v) => floorDiv(asTimestamp(v).ns, 1_000_000_000n)),
    global('uint64_to_int64', [uint], int, (v) => toInt64(asUint(v).value)),
  ],
  uint: [
    global('double_to_uint64', [double], uint, (v) => uintFromDouble(asDouble(v))),
    global('int64_to_uint64', [int], uint, (v) => toUint64(asInt(v))),
    global('string_to_uint64', [string], uint, (v) =>
      toUint64(parseInteger(asText(v), /^\d+$/, (n) => BigInt.asUintN(64, n), uint)),
    ),
    global('uint64_to_uint64', [uint], uint, (v) => asUint(v)),
  ],
  string: [
    global('bool_to_string', [bool], string, (v) => String(asBool(v))),
    global('bytes_to_string', [bytes], string, (v) => textFromBytes(asBytes(v))),
    global('double_to_string', [double], string, (v) => formatDouble(asDouble(v))),
    global('duration_to_string', [duration], string, (v) => durationText(asDuration(v).ns)),
    global('int64_to_string', [int], string, (v) => String(asInt(v))),
    global('string_to_string', [string], string, (v) => asText(v)),
    global('timestamp_to_string', [timestamp], string, (v) => formatTimestamp(asTimestamp(v))),
    global('uint64_to_string', [uint], string, (v) => String(asUint(v).value)),
    global('ip_to_string', [ipType], string, (v) => formatIp(asIp(v))),
    global('cidr_to_string', [cidrType], string, (v) => formatCidr(asCidr(v))),
  ],
  timestamp: [
    global('int64_to_timestamp', [int], timestamp, (v) => timestampFromSeconds(asInt(v))),
    global('string_to_timestamp', [string], timestamp, (v) => timestampFromText(asText(v))),
    global('timestamp_to_timestamp', [timestamp], timestamp, (v) => asTimestamp(v)),
  ],
};

/** The length of a text in code points, as CEL counts. */
export function codePoints(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}

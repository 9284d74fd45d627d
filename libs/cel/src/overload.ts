import { Quantity } from '@apichain/meta';
import {
  authorizerName,
  AuthorizerValue,
  decisionName,
  DecisionValue,
  GroupCheck,
  groupCheckName,
  PathCheck,
  pathCheckName,
  ResourceCheck,
  resourceCheckName,
} from './library/authorization-values.ts';
import { Cidr, Format, IpAddress, Semver, Url } from './library/extension-values.ts';
import type { CelType } from './types.ts';
import {
  Duration,
  ListValue,
  MapValue,
  noSuchOverload,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

/** One signature of a function, with its implementation. */
export interface Overload {
  /** The name in cel-go. */
  readonly id: string;
  /** Whether it is called as a method: then the first argument is the receiver. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly run: (...args: Value[]) => Value;
}
export type Library = Readonly<Record<string, readonly Overload[]>>;

export const global = (id: string, args: readonly CelType[], result: CelType, run: Overload['run']): Overload => ({
  id,
  member: false,
  args,
  result,
  run,
});
export const member = (id: string, args: readonly CelType[], result: CelType, run: Overload['run']): Overload => ({
  ...global(id, args, result, run),
  member: true,
});

const extensions: ReadonlyMap<string, (v: Value) => boolean> = new Map<string, (v: Value) => boolean>([
  ['optional_type', (v) => v instanceof Optional],
  ['kubernetes.Quantity', (v) => v instanceof Quantity],
  ['net.IP', (v) => v instanceof IpAddress],
  ['net.CIDR', (v) => v instanceof Cidr],
  ['kubernetes.URL', (v) => v instanceof Url],
  ['kubernetes.Semver', (v) => v instanceof Semver],
  ['kubernetes.NamedFormat', (v) => v instanceof Format],
  [authorizerName, (v) => v instanceof AuthorizerValue],
  [pathCheckName, (v) => v instanceof PathCheck],
  [groupCheckName, (v) => v instanceof GroupCheck],
  [resourceCheckName, (v) => v instanceof ResourceCheck],
  [decisionName, (v) => v instanceof DecisionValue],
]);

/** Whether a value may be an argument of the declared type. Of a container only the first member is checked. */
export function accepts(type: CelType, v: Value): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof v === 'boolean';
    case 'int':
      return typeof v === 'bigint';
    case 'double':
      return typeof v === 'number';
    case 'string':
      return typeof v === 'string';
    case 'uint':
      return v instanceof Uint;
    case 'bytes':
      return v instanceof Uint8Array;
    case 'null':
      return v === null;
    case 'timestamp':
      return v instanceof Timestamp;
    case 'duration':
      return v instanceof Duration;
    case 'list':
      return v instanceof ListValue && (v.size === 0 || acceptsPart(type.params[0], () => v.at(0)));
    case 'map':
      return v instanceof MapValue && (v.size === 0 || acceptsEntry(type, v));
    case 'object':
      return v instanceof MapValue;
    case 'type':
      return v instanceof TypeValue;
    case 'opaque':
      return extensions.get(type.name)?.(v) ?? false;
    default:
      return true;
  }
}

const acceptsPart = (type: CelType | undefined, part: () => Value): boolean =>
  type === undefined || type.kind === 'param' || type.kind === 'dyn' || accepts(type, part());
function acceptsEntry(type: CelType, map: MapValue): boolean {
  const [key, value] = type.params;
  const first = () => map.keys()[0] ?? null;
  return acceptsPart(key, first) && acceptsPart(value, () => map.get(first()) ?? null);
}

/** The name of a value's type. */
export function typeName(v: Value): string {
  if (v === null) return 'null_type';
  switch (typeof v) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (v instanceof Uint) return 'uint';
  if (v instanceof Uint8Array) return 'bytes';
  if (v instanceof ListValue) return 'list';
  if (v instanceof MapValue) return v.typeName;
  if (v instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (v instanceof Duration) return 'google.protobuf.Duration';
  if (v instanceof TypeValue) return 'type';
  return [...extensions].find(([, is]) => is(v))?.[0] ?? 'unknown';
}

const narrow =
  <T extends Value>(is: (v: Value) => v is T) =>
  (v: Value | undefined): T => {
    if (v === undefined || !is(v)) throw noSuchOverload();
    return v;
  };

/*
 * Converters of arguments to their declared types. Each throws EvaluationError if the value has another type, which can happen for values
 * of type dyn.
 */
export const asText = narrow((v) => typeof v === 'string');
export const asInt = narrow((v) => typeof v === 'bigint');
export const asDouble = narrow((v) => typeof v === 'number');
export const asBool = narrow((v) => typeof v === 'boolean');
export const asUint = narrow((v) => v instanceof Uint);
export const asBytes = narrow((v) => v instanceof Uint8Array);
export const asList = narrow((v) => v instanceof ListValue);
export const asMap = narrow((v) => v instanceof MapValue);
export const asTimestamp = narrow((v) => v instanceof Timestamp);
export const asDuration = narrow((v) => v instanceof Duration);
export const asOptional = narrow((v) => v instanceof Optional);
export const asQuantity = narrow((v) => v instanceof Quantity);
export const asIp = narrow((v) => v instanceof IpAddress);
export const asCidr = narrow((v) => v instanceof Cidr);
export const asUrl = narrow((v) => v instanceof Url);
export const asSemver = narrow((v) => v instanceof Semver);
export const asFormat = narrow((v) => v instanceof Format);

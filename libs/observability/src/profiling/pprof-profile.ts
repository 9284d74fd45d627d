import { Profile, type FunctionMessage, type Location as LocationMessage } from './generated/profile.ts';

/** One stack frame: a function and a position. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  /** From 1; 0 = unknown. */
  readonly line: number;
}

/** The values measured for one stack. */
export interface StackSample {
  /** The innermost frame first. */
  readonly stack: readonly Frame[];
  /** One value for each type of the profile. */
  readonly values: readonly number[];
}

interface ValueType {
  readonly type: string;
  readonly unit: string;
}

export interface PprofProfile {
  readonly types: readonly ValueType[];
  readonly samples: readonly StackSample[];
  readonly period: ValueType & { readonly value: number };
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Milliseconds; 0 = a snapshot. */
  readonly duration: number;
}

/**
 * Encodes a profile in the format of `go tool pprof` and compatible tools, uncompressed.
 * Source: https://github.com/google/pprof/blob/main/proto/profile.proto
 */
export function encodePprof({ types, samples, period, time, duration }: PprofProfile): Uint8Array {
  const strings = new Numbered<string>(['']);
  const functions = new Map<string, FunctionMessage & { readonly id: number }>();
  const locations = new Map<string, LocationMessage & { readonly id: number }>();

  const valueType = ({ type, unit }: ValueType) => ({ type: strings.of(type), unit: strings.of(unit) });
  const functionOf = ({ name, file }: Frame): number => {
    const key = `${name}\n${file}`;
    const known = functions.get(key);
    if (known !== undefined) return known.id;
    const id = functions.size + 1;
    functions.set(key, { id, name: strings.of(name), systemName: strings.of(name), filename: strings.of(file) });
    return id;
  };
  const locationOf = (frame: Frame): number => {
    const key = `${frame.name}\n${frame.file}\n${frame.line}`;
    const known = locations.get(key);
    if (known !== undefined) return known.id;
    const id = locations.size + 1;
    locations.set(key, { id, line: [{ functionId: functionOf(frame), line: frame.line }] });
    return id;
  };

  const sampleType = types.map(valueType);
  const sample = samples.map(({ stack, values }) => ({
    locationId: stack.map(locationOf),
    value: values.map(Math.round),
  }));
  const periodType = valueType(period);
  return Profile.encode({
    sampleType,
    sample,
    location: [...locations.values()],
    function: [...functions.values()],
    stringTable: [...strings.all],
    timeNanos: nanoseconds(time),
    durationNanos: nanoseconds(duration),
    periodType,
    period: Math.round(period.value),
  }).finish();
}

const nanoseconds = (milliseconds: number): string => (BigInt(Math.round(milliseconds)) * 1_000_000n).toString();

/** Numbers distinct values in the order of their first use. */
class Numbered<T> {
  readonly #numbers = new Map<T, number>();

  constructor(first: readonly T[] = []) {
    for (const thing of first) this.of(thing);
  }

  of(thing: T): number {
    let number = this.#numbers.get(thing);
    if (number === undefined) this.#numbers.set(thing, (number = this.#numbers.size));
    return number;
  }

  get all(): Iterable<T> {
    return this.#numbers.keys();
  }
}

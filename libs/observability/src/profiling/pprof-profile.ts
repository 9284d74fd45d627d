import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** One function at one place, as a stack names it. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  /** From 1; 0 = unknown. */
  readonly line: number;
}

/** How often, or how much, was seen with one stack. */
export interface StackSample {
  /** The innermost frame first. */
  readonly stack: readonly Frame[];
  /** One for each of the profile's types. */
  readonly values: readonly number[];
}

export interface ValueType {
  readonly type: string;
  readonly unit: string;
}

export interface PprofProfile {
  readonly types: readonly ValueType[];
  readonly samples: readonly StackSample[];
  readonly period: ValueType & { readonly value: number };
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Milliseconds; 0 = a moment. */
  readonly duration: number;
}

/**
 * A profile as `go tool pprof` and its like read it, not compressed.
 * Source: https://github.com/google/pprof/blob/main/proto/profile.proto
 */
export function encodePprof(profile: PprofProfile): Uint8Array {
  const strings = new Numbered<string>(['']);
  const functions = new Numbered<string>();
  const locations = new Numbered<string>();
  const writer = new BinaryWriter();
  const functionBytes: Uint8Array[] = [];
  const locationBytes: Uint8Array[] = [];

  const valueType = ({ type, unit }: ValueType) =>
    message((out) => out.uint32(8).int64(strings.of(type)).uint32(16).int64(strings.of(unit)));
  const functionOf = ({ name, file }: Frame): number => {
    const id = functions.of(`${name}\n${file}`) + 1;
    if (id > functionBytes.length) {
      const [text, path] = [strings.of(name), strings.of(file)];
      functionBytes.push(
        message((out) => out.uint32(8).uint64(id).uint32(16).int64(text).uint32(24).int64(text).uint32(32).int64(path)),
      );
    }
    return id;
  };
  const locationOf = (frame: Frame): number => {
    const id = locations.of(`${frame.name}\n${frame.file}\n${frame.line}`) + 1;
    if (id > locationBytes.length) {
      const line = message((out) => out.uint32(8).uint64(functionOf(frame)).uint32(16).int64(frame.line));
      locationBytes.push(message((out) => out.uint32(8).uint64(id).uint32(34).bytes(line)));
    }
    return id;
  };

  for (const type of profile.types) writer.uint32(10).bytes(valueType(type));
  for (const { stack, values } of profile.samples) {
    const ids = packed(stack.map(locationOf));
    writer.uint32(18).bytes(message((out) => out.uint32(10).bytes(ids).uint32(18).bytes(packed(values))));
  }
  for (const bytes of locationBytes) writer.uint32(34).bytes(bytes);
  for (const bytes of functionBytes) writer.uint32(42).bytes(bytes);
  const period = valueType(profile.period);
  for (const text of strings.all) writer.uint32(50).string(text);
  writer.uint32(72).int64(BigInt(Math.round(profile.time)) * 1_000_000n);
  writer.uint32(80).int64(BigInt(Math.round(profile.duration)) * 1_000_000n);
  writer.uint32(90).bytes(period).uint32(96).int64(Math.round(profile.period.value));
  return writer.finish();
}

function message(write: (out: BinaryWriter) => unknown): Uint8Array {
  const out = new BinaryWriter();
  write(out);
  return out.finish();
}

const packed = (values: readonly number[]): Uint8Array =>
  message((out) => values.forEach((value) => out.int64(Math.round(value))));

/** Gives each thing the number of the place at which it came first. */
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

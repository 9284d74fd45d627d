/** How a field of a message is written; `message` fields name their descriptor lazily because descriptors refer to each other. */
export type FieldEncoding =
  | { readonly kind: 'string' | 'bool' | 'int' | 'double' | 'any' }
  | { readonly kind: 'message'; readonly message: () => MessageEncoding }
  /** A JSON map: one entry message (name = 1, value = 2) per key. */
  | { readonly kind: 'entries'; readonly value: () => MessageEncoding };

export interface MessageField {
  readonly number: number;
  readonly encoding: FieldEncoding;
  readonly repeated?: boolean;
}

/** A message made from a JSON object (or from whatever `from` turns into one). */
export interface MessageEncoding {
  readonly fields: Readonly<Record<string, MessageField>>;
  /** Number of the repeated NamedAny that takes the `x-` members. */
  readonly extensions?: number;
  /** Number of the entries that take all members not listed, e.g. `paths` and `responses`. */
  readonly rest?: { readonly number: number; readonly value: () => MessageEncoding };
  /** Rearranges the JSON value before it is written: unions, wrappers. */
  readonly from?: (value: unknown) => unknown;
}

/** Writes a JSON value as a message. Members that the message has no place for are left out. */
export function encodeMessage(value: unknown, encoding: MessageEncoding): Buffer {
  const source = encoding.from === undefined ? value : encoding.from(value);
  const parts: Buffer[] = [];
  if (typeof source !== 'object' || source === null) return Buffer.alloc(0);
  for (const [name, member] of Object.entries(source as Record<string, unknown>)) {
    if (member === undefined) continue;
    const field = Object.hasOwn(encoding.fields, name) ? encoding.fields[name] : undefined;
    if (field !== undefined) writeField(parts, field, member);
    else if (name.startsWith('x-') && encoding.extensions !== undefined)
      parts.push(delimited(encoding.extensions, named(name, any(member))));
    else if (encoding.rest !== undefined)
      parts.push(delimited(encoding.rest.number, named(name, encodeMessage(member, encoding.rest.value()))));
  }
  return Buffer.concat(parts);
}

function writeField(parts: Buffer[], field: MessageField, value: unknown): void {
  if (field.repeated && Array.isArray(value)) {
    for (const item of value) parts.push(single(field, item));
  } else if (field.encoding.kind === 'entries') {
    const map = value as Record<string, unknown>;
    const entries = Object.entries(map).map(([name, member]) =>
      delimited(1, named(name, encodeMessage(member, (field.encoding as { value: () => MessageEncoding }).value()))),
    );
    parts.push(delimited(field.number, Buffer.concat(entries)));
  } else parts.push(single(field, value));
}

function single(field: MessageField, value: unknown): Buffer {
  const { number, encoding } = field;
  switch (encoding.kind) {
    case 'string':
      return delimited(number, Buffer.from(String(value)));
    case 'bool':
      return value === true ? Buffer.concat([varint(number * 8), varint(1)]) : Buffer.alloc(0);
    case 'int':
      return Buffer.concat([varint(number * 8), varint(BigInt.asUintN(64, BigInt(Math.trunc(Number(value)))))]);
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return Buffer.concat([varint(number * 8 + 1), bytes]);
    }
    case 'any':
      return delimited(number, any(value));
    case 'message':
      return delimited(number, encodeMessage(value, encoding.message()));
    case 'entries':
      return Buffer.alloc(0);
  }
}

/** gnostic's Any holds YAML text; JSON is YAML. */
const any = (value: unknown): Buffer =>
  delimited(
    2,
    Buffer.from(`${JSON.stringify(value, (_k, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)) ?? 'null'}\n`),
  );

const named = (name: string, value: Buffer): Buffer =>
  Buffer.concat([delimited(1, Buffer.from(name)), delimited(2, value)]);

function delimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

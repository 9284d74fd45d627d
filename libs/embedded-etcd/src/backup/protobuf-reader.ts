/** The bytes are no message of the expected type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Reads a protobuf message field by field. Byte fields are views of the message: a backup has as many values as memory allows, and copies would double
 * it. Throws ProtobufError when the message ends too early. Source: https://protobuf.dev/programming-guides/encoding/
 */
export class ProtobufReader {
  readonly #bytes: Buffer;
  #at = 0;
  #wireType = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The number of the next field; 0 at the end of the message. */
  nextField(): number {
    if (this.#at === this.#bytes.length) return 0;
    const tag = this.#varint();
    this.#wireType = tag % 8;
    const field = Math.floor(tag / 8);
    if (field === 0) throw new ProtobufError('a field has number 0');
    return field;
  }

  /** The number in the field. It must be an integer that JavaScript can represent. */
  integer(): number {
    this.#expect(wireTypes.varint);
    const value = this.#varint();
    if (!Number.isSafeInteger(value)) throw new ProtobufError('a number is too large');
    return value;
  }

  /** The signed number of 64 bits in the field, as decimal text. */
  int64(): string {
    this.#expect(wireTypes.varint);
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value).toString();
    }
    throw new ProtobufError('a number is too long');
  }

  bytes(): Buffer {
    this.#expect(wireTypes.bytes);
    return this.#take(this.#varint());
  }

  skip(): void {
    if (this.#wireType === wireTypes.varint) this.#varint();
    else if (this.#wireType === wireTypes.bytes) this.bytes();
    else if (this.#wireType === wireTypes.fixed64) this.#take(8);
    else if (this.#wireType === wireTypes.fixed32) this.#take(4);
    else throw new ProtobufError('a field has an unknown type');
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) throw new ProtobufError('a field has another type');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new ProtobufError('the message ends too early');
    return byte;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufError('the message ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 63; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new ProtobufError('a number is too long');
  }
}

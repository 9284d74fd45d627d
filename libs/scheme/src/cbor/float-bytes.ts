const smallestNormalHalf = 2 ** -14;
const smallestHalf = 2 ** -24;
/** The exponents of a 4-byte float, as it has them, that a 2-byte float has too. */
const halfExponents = { least: 113, most: 142 } as const;
const scratch = Buffer.alloc(9);
const head = { half: 0xf9, single: 0xfa, double: 0xfb } as const;

/** The bits of a number as a 2-byte float; undefined where that would not preserve it. `single`: its bits as a 4-byte float. */
function halfBits(value: number, single: number): number | undefined {
  const sign = (single >>> 31) << 15;
  const size = Math.abs(value);
  if (size < smallestNormalHalf)
    return Number.isInteger(size / smallestHalf) ? sign | (size / smallestHalf) : undefined;
  const exponent = (single >>> 23) & 0xff;
  if ((single & 0x1fff) !== 0 || exponent < halfExponents.least || exponent > halfExponents.most) return undefined;
  return sign | ((exponent - halfExponents.least + 1) << 10) | ((single >>> 13) & 0x3ff);
}

/** A finite number as a CBOR float of the fewest of 2, 4 or 8 bytes that preserve its value. The bytes are valid until the next call. */
export function floatBytes(value: number): Buffer {
  if (Math.fround(value) !== value) {
    scratch[0] = head.double;
    scratch.writeDoubleBE(value, 1);
    return scratch;
  }
  scratch.writeFloatBE(value, 1);
  const half = halfBits(value, scratch.readUInt32BE(1));
  if (half === undefined) {
    scratch[0] = head.single;
    return scratch.subarray(0, 5);
  }
  scratch[0] = head.half;
  scratch.writeUInt16BE(half, 1);
  return scratch.subarray(0, 3);
}

/** The value of the bits of a 2-byte float. */
export function halfValue(bits: number): number {
  const sign = bits >>> 15 === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * smallestHalf;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

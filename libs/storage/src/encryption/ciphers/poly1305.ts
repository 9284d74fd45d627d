/*
 * The Poly1305 one-time authenticator, which Node does not offer by itself. Numbers below 2^130 are six limbs of 22 bits, so that
 * every sum of products stays below 2^53. Source: RFC 8439, section 2.5.
 */

const limbs = 6;
const limbBits = 22;
const limbSize = 2 ** limbBits;
const limbMask = limbSize - 1;
/** 2^132 mod 2^130 - 5: what a limb that leaves at the top weighs at the bottom. */
const wrap = 20;
const prime = (1n << 130n) - 5n;
const tagMask = (1n << 128n) - 1n;

type Limbs = Float64Array<ArrayBuffer>;

/** Adds a little-endian number of 16 bytes, and `high` x 2^128. */
function addBlock(h: Limbs, block: Buffer, at: number, high: number): void {
  const a = block.readInt32LE(at);
  const b = block.readInt32LE(at + 4);
  const c = block.readInt32LE(at + 8);
  const d = block.readInt32LE(at + 12);
  h[0] = (h[0] ?? 0) + (a & limbMask);
  h[1] = (h[1] ?? 0) + (((a >>> 22) | (b << 10)) & limbMask);
  h[2] = (h[2] ?? 0) + (((b >>> 12) | (c << 20)) & limbMask);
  h[3] = (h[3] ?? 0) + ((c >>> 2) & limbMask);
  h[4] = (h[4] ?? 0) + (((c >>> 24) | (d << 8)) & limbMask);
  h[5] = (h[5] ?? 0) + ((d >>> 14) | (high << 18));
}

/** h = h x r, carried so that every limb is at most a few above 2^22. */
function multiply(h: Limbs, r: Limbs, product: Limbs): void {
  for (let i = 0; i < limbs; i++) {
    let sum = 0;
    for (let j = 0; j < limbs; j++) {
      const factor = j <= i ? (r[i - j] ?? 0) : wrap * (r[i - j + limbs] ?? 0);
      sum += (h[j] ?? 0) * factor;
    }
    product[i] = sum;
  }
  let carry = 0;
  for (let i = 0; i < limbs; i++) {
    const value = (product[i] ?? 0) + carry;
    carry = Math.floor(value / limbSize);
    h[i] = value - carry * limbSize;
  }
  const bottom = (h[0] ?? 0) + wrap * carry;
  const over = Math.floor(bottom / limbSize);
  h[0] = bottom - over * limbSize;
  h[1] = (h[1] ?? 0) + over;
}

function clampedMultiplier(key: Buffer): Limbs {
  const clamped = Buffer.from(key.subarray(0, 16));
  for (const i of [3, 7, 11, 15]) clamped[i] = (clamped[i] ?? 0) & 15;
  for (const i of [4, 8, 12]) clamped[i] = (clamped[i] ?? 0) & 252;
  const r: Limbs = new Float64Array(limbs);
  addBlock(r, clamped, 0, 0);
  return r;
}

const toBigInt = (h: Limbs): bigint =>
  h.reduceRight<bigint>((value, limb) => (value << BigInt(limbBits)) + BigInt(limb), 0n);
const fromLittleEndian = (bytes: Buffer): bigint => (bytes.readBigUInt64LE(8) << 64n) | bytes.readBigUInt64LE(0);

/** The 16-byte tag of a message under a 32-byte key that is used once. */
export function poly1305(message: Buffer, key: Buffer): Buffer {
  const r = clampedMultiplier(key);
  const h: Limbs = new Float64Array(limbs);
  const product: Limbs = new Float64Array(limbs);
  const whole = message.length - (message.length % 16);
  for (let at = 0; at < whole; at += 16) {
    addBlock(h, message, at, 1);
    multiply(h, r, product);
  }
  if (whole < message.length) {
    const last = Buffer.alloc(16);
    message.copy(last, 0, whole);
    last[message.length - whole] = 1;
    addBlock(h, last, 0, 0);
    multiply(h, r, product);
  }
  const sum = ((toBigInt(h) % prime) + fromLittleEndian(key.subarray(16, 32))) & tagMask;
  const tag = Buffer.allocUnsafe(16);
  tag.writeBigUInt64LE(sum & 0xffffffffffffffffn, 0);
  tag.writeBigUInt64LE(sum >> 64n, 8);
  return tag;
}

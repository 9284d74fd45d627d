/*
 * The XSalsa20 stream cipher, which OpenSSL does not have. Source: D. J. Bernstein, "Extending the Salsa20 nonce",
 * https://cr.yp.to/snuffle/xsalsa-20110204.pdf, and "The Salsa20 family of stream ciphers".
 */

export const blockLength = 64;
const doubleRounds = 10;
/** "expand 32-byte k" as little-endian words: the diagonal of every state. */
const sigma = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

/** State and scratch of one key and nonce; words 8 and 9 count the blocks. */
type State = Int32Array<ArrayBuffer>;

function quarter(x: State, a: number, b: number, c: number, d: number): void {
  let sum = (x[a] ?? 0) + (x[d] ?? 0);
  x[b] = (x[b] ?? 0) ^ ((sum << 7) | (sum >>> 25));
  sum = ((x[b] ?? 0) + (x[a] ?? 0)) | 0;
  x[c] = (x[c] ?? 0) ^ ((sum << 9) | (sum >>> 23));
  sum = ((x[c] ?? 0) + (x[b] ?? 0)) | 0;
  x[d] = (x[d] ?? 0) ^ ((sum << 13) | (sum >>> 19));
  sum = ((x[d] ?? 0) + (x[c] ?? 0)) | 0;
  x[a] = (x[a] ?? 0) ^ ((sum << 18) | (sum >>> 14));
}

function permute(x: State): void {
  for (let i = 0; i < doubleRounds; i++) {
    quarter(x, 0, 4, 8, 12);
    quarter(x, 5, 9, 13, 1);
    quarter(x, 10, 14, 2, 6);
    quarter(x, 15, 3, 7, 11);
    quarter(x, 0, 1, 2, 3);
    quarter(x, 5, 6, 7, 4);
    quarter(x, 10, 11, 8, 9);
    quarter(x, 15, 12, 13, 14);
  }
}

/** The state of a 32-byte key and the 16 bytes between its halves. */
function initialState(key: Buffer, middle: Buffer): State {
  const state = new Int32Array(16);
  for (let i = 0; i < 4; i++) {
    state[i * 5] = sigma[i] ?? 0;
    state[1 + i] = key.readInt32LE(4 * i);
    state[6 + i] = middle.readInt32LE(4 * i);
    state[11 + i] = key.readInt32LE(16 + 4 * i);
  }
  return state;
}

/** A key of its own for one 16-byte half of a nonce. */
export function hsalsa20(key: Buffer, nonce: Buffer): Buffer {
  const x = initialState(key, nonce);
  permute(x);
  const subkey = Buffer.allocUnsafe(32);
  for (let i = 0; i < 4; i++) {
    subkey.writeInt32LE(x[i * 5] ?? 0, 4 * i);
    subkey.writeInt32LE(x[6 + i] ?? 0, 16 + 4 * i);
  }
  return subkey;
}

/** `length` bytes of the key stream of a 32-byte key and a 24-byte nonce, from its beginning. */
export function xsalsa20KeyStream(key: Buffer, nonce: Buffer, length: number): Buffer {
  const middle = Buffer.alloc(16);
  nonce.copy(middle, 0, 16, 24);
  const state = initialState(hsalsa20(key, nonce.subarray(0, 16)), middle);
  const x: State = new Int32Array(16);
  const stream = Buffer.allocUnsafe(Math.ceil(length / blockLength) * blockLength);
  for (let at = 0, block = 0; at < stream.length; block++) {
    state[8] = block | 0;
    state[9] = Math.floor(block / 2 ** 32);
    x.set(state);
    permute(x);
    for (let i = 0; i < 16; i++) at = stream.writeInt32LE(((x[i] ?? 0) + (state[i] ?? 0)) | 0, at);
  }
  return stream.subarray(0, length);
}

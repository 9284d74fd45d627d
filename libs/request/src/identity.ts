import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648, lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31] ?? '';
  }
  return bits === 0 ? text : text + (alphabet[(value << (5 - bits)) & 31] ?? '');
}

/** A text, prefixed with its length in two bytes. */
function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The identity of a server among those of its cluster: the same on one machine, different on any other. */
export function apiServerId(host = hostname()): string {
  const hash = createHash('sha256').update(prefixed(host)).update(prefixed('kube-apiserver')).digest();
  return `apiserver-${base32(hash.subarray(0, 16))}`;
}

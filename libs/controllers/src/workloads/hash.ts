import { compareText, isRecord } from '@apichain/meta';

const prime = 16_777_619;
const offset = 2_166_136_261;

/** FNV-1 of 32 bits, over the bytes of a text in UTF-8: http://www.isthe.com/chongo/tech/comp/fnv/ */
export function fnv32(text: string): number {
  let hash = offset;
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, prime) ^ byte) >>> 0;
  return hash;
}

/** FNV-1a of 32 bits: as FNV-1, with the two steps in the other order. */
export function fnv32a(text: string): number {
  let hash = offset;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, prime) >>> 0;
  return hash;
}

const safeCharacters = 'bcdfghjklmnpqrstvwxz2456789';

/** A number in the characters of generated names, which form no words. Source: SafeEncodeString of k8s.io/apimachinery/pkg/util/rand. */
export const safeEncode = (hash: number): string =>
  [...String(hash)].map((digit) => safeCharacters[digit.charCodeAt(0) % safeCharacters.length]).join('');

/** A JSON value as Go writes it: members sorted, and the characters that HTML treats specially escaped. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (isRecord(value)) {
    const members = Object.keys(value).filter((name) => value[name] !== undefined);
    return `{${members
      .sort(compareText)
      .map((name) => `${goString(name)}:${goJson(value[name])}`)
      .join(',')}}`;
  }
  if (typeof value === 'string') return goString(value);
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

const goString = (text: string): string =>
  JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

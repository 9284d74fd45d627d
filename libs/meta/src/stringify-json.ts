const htmlCharacters = /[<>&\u2028\u2029]/;
const htmlEscapes = ['<', '>', '&', '\u2028', '\u2029'].map(
  (character) => [character, `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`] as const,
);

/** From this length on, characters are escaped in the bytes of a text, because `replaceAll` is slow where there are many of them. */
const longText = 64 * 1024;

/** JSON text with `<`, `>`, `&`, U+2028 and U+2029 escaped, as Go's encoder writes it. */
export function escapeHtml(json: string): string {
  if (!htmlCharacters.test(json)) return json;
  if (json.length >= longText) return escapeBytes(Buffer.from(json)).toString();
  // A replacer function takes ten times as long for a text that consists of such characters.
  let escaped = json;
  for (const [character, escape] of htmlEscapes) escaped = escaped.replaceAll(character, escape);
  return escaped;
}

const escapeLength = 6;
const escapes = new Map(htmlEscapes.map(([character, escape]) => [character.charCodeAt(0), Buffer.from(escape)]));

/** The character to be escaped that begins at an index of UTF-8; 0 = none. */
function htmlCharacterAt(utf8: Buffer, index: number): number {
  const byte = utf8[index] ?? 0;
  if (byte === 0x3c || byte === 0x3e || byte === 0x26) return byte;
  if (byte !== 0xe2 || utf8[index + 1] !== 0x80) return 0;
  const last = utf8[index + 2];
  return last === 0xa8 ? 0x2028 : last === 0xa9 ? 0x2029 : 0;
}

const bytesOf = (character: number): number => (character < 0x80 ? 1 : 3);

function escapeBytes(utf8: Buffer): Buffer {
  let length = utf8.length;
  for (let i = 0; i < utf8.length; i++) {
    const character = htmlCharacterAt(utf8, i);
    if (character !== 0) length += escapeLength - bytesOf(character);
  }
  const escaped = Buffer.allocUnsafe(length);
  let at = 0;
  for (let i = 0; i < utf8.length; i++) {
    const character = htmlCharacterAt(utf8, i);
    if (character === 0) escaped[at++] = utf8[i] ?? 0;
    else {
      at += escapes.get(character)?.copy(escaped, at) ?? 0;
      i += bytesOf(character) - 1;
    }
  }
  return escaped;
}

const rawBigints = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;

/** JSON with exact bigints, as JSON.stringify lays it out. */
export function stringifyPlain(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    // JSON.stringify does not support bigint. A replacer is several times slower, so it is used only then.
    if (error instanceof TypeError) return JSON.stringify(value, rawBigints, indent);
    throw error;
  }
}

/**
 * JSON as kube-apiserver writes it: compact, bigints exact, `<`, `>`, `&`, U+2028 and U+2029 escaped (Go's HTML-safe
 * default), keys in the object's order. Undefined members are omitted.
 */
export function stringifyJson(value: unknown): string {
  return escapeHtml(stringifyPlain(value));
}

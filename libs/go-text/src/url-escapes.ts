/** A table of the UTF-8 bytes that are not escaped. */
function plainBytes(characters: string): Uint8Array {
  const plain = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) plain[byte] = 1;
  return plain;
}

const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const plainInPath = plainBytes(`${alphanumeric}-_.~$&+,/:;=@`);
const plainInQuery = plainBytes(`${alphanumeric}-_.~`);

const percent = 0x25;
const hexDigits = Buffer.from('0123456789ABCDEF');

/**
 * The UTF-8 bytes of a text. The parser of request targets represents a byte that is not valid UTF-8 by the lone surrogate
 * U+DC00 + byte. Such a surrogate is converted back to the byte.
 */
function octetsOf(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text);
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let length = 0;
  for (const rune of text) {
    const code = rune.codePointAt(0) ?? 0;
    if (code < 0x80) bytes[length++] = code;
    else if (code >= 0xdc80 && code <= 0xdcff) bytes[length++] = code - 0xdc00;
    else length += bytes.write(rune, length);
  }
  return bytes.subarray(0, length);
}

function escaped(text: string, plain: Uint8Array): string {
  const octets = octetsOf(text);
  const out = Buffer.allocUnsafe(octets.length * 3);
  let length = 0;
  for (const octet of octets) {
    if (plain[octet] === 1) {
      out[length++] = octet;
      continue;
    }
    out[length++] = percent;
    out[length++] = hexDigits[octet >> 4] ?? 0;
    out[length++] = hexDigits[octet & 15] ?? 0;
  }
  return out.toString('latin1', 0, length);
}

const isPlainPath = /^[A-Za-z0-9\-_.~$&+,/:;=@]*$/;
const isPlainParameter = /^[A-Za-z0-9\-_.~]*$/;

/** Escapes a path as Go's net/url does, only where necessary. Bytes that are not valid UTF-8 (`octetsOf`) are preserved. */
export const escapePath = (path: string): string => (isPlainPath.test(path) ? path : escaped(path, plainInPath));

/** Escapes a name or value of a query as Go's net/url does. */
const escapeParameter = (text: string): string =>
  isPlainParameter.test(text) ? text : escaped(text, plainInQuery).replaceAll('%20', '+');

/** Encodes parameters as Go's url.Values does: sorted by name; values of one name keep their order. */
export function encodeQuery(parameters: readonly (readonly [name: string, value: string])[]): string {
  return [...parameters]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${escapeParameter(name)}=${escapeParameter(value)}`)
    .join('&');
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};
const plainAscii = /^[ !#-[\]-~]*$/;
/** One character that may have to be escaped. */
const notPlain = /[^ !#-[\]-~]/gu;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const hex = (code: number, width: number) => code.toString(16).padStart(width, '0');

function quoteRune(rune: string, quote: string): string {
  if (rune === quote) return `\\${quote}`;
  const short = shortEscapes[rune];
  if (short !== undefined) return short;
  const code = rune.codePointAt(0) ?? 0;
  // An octet of a request path that is no UTF-8, see splitUrl of the server.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (printable.test(rune)) return rune;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

/**
 * A string between double quotes as Go's `%q` writes it, which is how field errors and most messages of the API print
 * one: printable Unicode stays, everything else is escaped the Go way (`\x00`, `\u2028`). Source: strconv.Quote.
 */
export function goQuote(text: string): string {
  if (plainAscii.test(text)) return `"${text}"`;
  return `"${text.replace(notPlain, (rune) => quoteRune(rune, '"'))}"`;
}

/**
 * One byte of a document between single quotes, as Go's JSON scanner names the character it stumbled on.
 * `byte` is taken as the rune of the same number: the first byte of `é` prints as `'Ã'`.
 */
export function goQuoteByte(byte: number): string {
  const rune = String.fromCharCode(byte);
  return rune === '"' ? `'"'` : `'${quoteRune(rune, "'")}'`;
}

/** A list of strings as Go's `%q` writes it: `["a" "b"]`. */
export const goQuoteAll = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

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
 * A string between double quotes as Go's `%q` writes it: printable Unicode stays, everything else is escaped the Go way (`\x00`, `\u2028`).
 * Source: strconv.Quote. Messages use `goQuote`, which is bounded.
 */
export function goQuoteWhole(text: string): string {
  if (plainAscii.test(text)) return `"${text}"`;
  return `"${text.replace(notPlain, (rune) => quoteRune(rune, '"'))}"`;
}

/** As much of a text, in UTF-16 code units, as a message quotes. */
export const maxQuotedText = 1 << 14;

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/**
 * A text as it is, or its beginning of `limit` UTF-16 code units and how much is left out. Source: none, kube-apiserver repeats all of it in
 * its messages; a few megabytes would hold the server for as long as it takes to quote and encode them, several times over.
 */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = beginningOf(text, limit);
  return `${text.slice(0, end)} and ${text.length - end} more characters`;
}

/** Where to cut, so that no character is halved. */
const beginningOf = (text: string, limit: number): number =>
  isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;

/** `goQuoteWhole` of a text in a message, as field errors and most messages of the API print one; `shortened` to `maxQuotedText`. */
export function goQuote(text: string): string {
  if (text.length <= maxQuotedText) return goQuoteWhole(text);
  const end = beginningOf(text, maxQuotedText);
  return `${goQuoteWhole(text.slice(0, end))} and ${text.length - end} more characters`;
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

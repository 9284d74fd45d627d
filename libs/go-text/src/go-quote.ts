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
/** A character that may need escaping. */
const notPlain = /[^ !#-[\]-~]/gu;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const hex = (code: number, width: number) => code.toString(16).padStart(width, '0');

function quoteRune(rune: string, quote: string): string {
  if (rune === quote) return `\\${quote}`;
  const short = shortEscapes[rune];
  if (short !== undefined) return short;
  const code = rune.codePointAt(0) ?? 0;
  // A byte of a request path that is not valid UTF-8, see splitUrl of the server.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (printable.test(rune)) return rune;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

/**
 * Quotes a string as Go's `%q` does: printable Unicode is unchanged, other characters are escaped as in Go (`\x00`, `\u2028`).
 * Source: strconv.Quote. Use `goQuote` for messages, which limits the length.
 */
export function goQuoteWhole(text: string): string {
  if (plainAscii.test(text)) return `"${text}"`;
  return `"${text.replace(notPlain, (rune) => quoteRune(rune, '"'))}"`;
}

/** The maximum length of a quoted text in a message, in UTF-16 code units. */
export const maxQuotedText = 1 << 14;

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/**
 * Returns a text, truncated to `limit` UTF-16 code units with the number of omitted characters. kube-apiserver does not truncate
 * its messages. Here, quoting and encoding a text of a few megabytes several times would block the event loop.
 */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = beginningOf(text, limit);
  return `${text.slice(0, end)} and ${text.length - end} more characters`;
}

/** Where to truncate, so that no surrogate pair is split. */
const beginningOf = (text: string, limit: number): number =>
  isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;

/** `goQuoteWhole` for messages, as field errors and most messages of the API quote text; truncated to `maxQuotedText`. */
export function goQuote(text: string): string {
  if (text.length <= maxQuotedText) return goQuoteWhole(text);
  const end = beginningOf(text, maxQuotedText);
  return `${goQuoteWhole(text.slice(0, end))} and ${text.length - end} more characters`;
}

/**
 * Quotes one byte of a document in single quotes, as Go's JSON scanner does for an unexpected character.
 * `byte` is taken as the code point of the same number: the first byte of `é` prints as `'Ã'`.
 */
export function goQuoteByte(byte: number): string {
  const rune = String.fromCharCode(byte);
  return rune === '"' ? `'"'` : `'${quoteRune(rune, "'")}'`;
}

/** A list of strings as Go's `%q` writes it: `["a" "b"]`. */
export const goQuoteAll = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

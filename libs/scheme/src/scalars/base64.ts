/** A text that Go's base64.StdEncoding rejects. */
export class CorruptBase64Error extends Error {
  override readonly name = 'CorruptBase64Error';
  constructor(offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

/** If the length is a multiple of four. */
const wellFormed = /^[A-Za-z0-9+/]*={0,2}$/;
/** `A-Za-z0-9+/` */
const isInAlphabet = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x2f && code <= 0x39) || code === 0x2b;
const isNewline = (char: string | undefined): boolean => char === '\n' || char === '\r';

/** Checks the padding that starts at `at`; `position` is its place (0 to 3) in the group of four. */
function checkPadding(text: string, at: number, position: number): void {
  if (position < 2) throw new CorruptBase64Error(at);
  let next = at + 1;
  const skipNewlines = () => {
    while (isNewline(text[next])) next++;
  };
  if (position === 2) {
    skipNewlines();
    if (next === text.length) throw new CorruptBase64Error(text.length);
    if (text[next] !== '=') throw new CorruptBase64Error(next);
    next++;
  }
  skipNewlines();
  if (next < text.length) throw new CorruptBase64Error(next);
}

/** Checks the text like Go's decoder, which skips line breaks. The error names the byte at which it stops. */
function check(text: string): void {
  let position = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) continue;
    if (code === 0x3d) return checkPadding(text, at, position);
    if (!isInAlphabet(code)) throw new CorruptBase64Error(at);
    position = (position + 1) % 4;
  }
  if (position !== 0) throw new CorruptBase64Error(text.length - position);
}

/** The base64 text of a []byte field as Go writes it. Throws CorruptBase64Error. */
export function normalizeBase64(text: string): string {
  const plain = text.length % 4 === 0 && wellFormed.test(text);
  if (!plain) check(text);
  // Unused low bits before the padding are ignored when read and written as zero.
  return plain && !text.endsWith('=') ? text : Buffer.from(text, 'base64').toString('base64');
}

const isContinuation = (byte: number | undefined, from = 0x80, to = 0xbf) =>
  byte !== undefined && byte >= from && byte <= to;

/** The number of bytes of the character at `at`; 0 if no valid character begins there. Source: DecodeRune of Go's unicode/utf8. */
function characterLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const second = bytes[at + 1];
  if (lead >= 0xc2 && lead <= 0xdf) return isContinuation(second) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const isFirst = isContinuation(second, lead === 0xe0 ? 0xa0 : 0x80, lead === 0xed ? 0x9f : 0xbf);
    return isFirst && isContinuation(bytes[at + 2]) ? 3 : 0;
  }
  if (lead < 0xf0 || lead > 0xf4) return 0;
  const isFirst = isContinuation(second, lead === 0xf0 ? 0x90 : 0x80, lead === 0xf4 ? 0x8f : 0xbf);
  return isFirst && isContinuation(bytes[at + 2]) && isContinuation(bytes[at + 3]) ? 4 : 0;
}

/**
 * Decodes bytes that are not valid UTF-8. Go replaces every byte that is not part of a character by U+FFFD, while TextDecoder replaces
 * whole invalid sequences. `onBroken` is called with each such byte and the offset of its replacement in the text (UTF-16 units).
 */
export function decodeBrokenUtf8(bytes: Buffer, onBroken?: (byte: number, offset: number) => void): string {
  const text = Buffer.allocUnsafe(bytes.length * 3);
  let written = 0;
  let units = 0;
  for (let i = 0; i < bytes.length; units++) {
    const length = characterLength(bytes, i);
    if (length === 0) {
      onBroken?.(bytes[i] ?? 0, units);
      text[written++] = 0xef;
      text[written++] = 0xbf;
      text[written++] = 0xbd;
      i++;
      continue;
    }
    for (const end = i + length; i < end; i++) text[written++] = bytes[i] ?? 0;
    if (length === 4) units++;
  }
  return text.toString('utf8', 0, written);
}

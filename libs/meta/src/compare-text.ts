/** The order of two texts by their UTF-16 units, for `sort`. It is Go's order of bytes unless a text has characters beyond U+FFFF. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whether the texts are sorted by `compareText`. Equal texts may be adjacent. */
export function isSorted(texts: readonly string[]): boolean {
  for (let i = 1; i < texts.length; i++) if ((texts[i - 1] ?? '') > (texts[i] ?? '')) return false;
  return true;
}

/** Surrogates come after all other UTF-16 units, as the characters that they form come after all others. */
const rankOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** The order of two texts by their UTF-8 bytes, for `sort`: Go's order of texts. Slower than compareText. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return a.length - b.length;
}

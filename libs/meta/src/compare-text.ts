/** The order of two texts by their UTF-16 units, for `sort`. It is Go's order of bytes unless a text has characters beyond U+FFFF. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whether the texts are sorted by `compareText`. Equal texts may be adjacent. */
export function isSorted(texts: readonly string[]): boolean {
  for (let i = 1; i < texts.length; i++) if ((texts[i - 1] ?? '') > (texts[i] ?? '')) return false;
  return true;
}

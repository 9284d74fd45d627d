/** The text without trailing repetitions of a character, in linear time. A regular expression such as `/x+$/` may take quadratic time. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}

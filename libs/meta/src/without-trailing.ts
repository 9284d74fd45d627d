/** The text without the repetitions of a character at its end, in linear time; an expression such as `/x+$/` may take the square of it. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}

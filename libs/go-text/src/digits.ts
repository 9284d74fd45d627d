/** Whether a UTF-16 unit is one of the digits `0` to `9`. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** The offset behind the digits that begin at `start`; `start` if there are none. */
export function digitsFrom(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** The characters of a text: the text itself if each character is one UTF-16 unit. */
type Runes = ArrayLike<string>;
const surrogate = /[\ud800-\udfff]/;
const runesOf = (text: string): Runes => (surrogate.test(text) ? [...text] : text);

const isLetter = (rune: string) => /\p{L}/u.test(rune);
const isDigit = (rune: string | undefined) => rune !== undefined && /\p{Nd}/u.test(rune);

/** The number spelled by a run of digits, as an int64 as in Go, and the end of the run. */
function digitsAt(runes: Runes, start: number, carry: bigint): { value: bigint; end: number } {
  let value = carry;
  let end = start;
  for (; isDigit(runes[end]); end++)
    value = BigInt.asIntN(64, value * 10n + BigInt((runes[end]?.codePointAt(0) ?? 48) - 48));
  return { value, end };
}

/** Zeros at the start of the run count if they continue a number that began with another digit. */
function carryBefore(runes: Runes, position: number): bigint {
  for (let i = position - 1; i >= 0 && isDigit(runes[i]); i--) {
    if (runes[i] !== '0') return 1n;
  }
  return 0n;
}

/** The order of map keys in YAML: letters by code point, after all other characters; digits by the number that they spell. */
export function compareYamlKeys(a: string, b: string): number {
  if (a === b) return 0;
  const left = runesOf(a);
  const right = runesOf(b);
  let i = 0;
  while (i < left.length && i < right.length && left[i] === right[i]) i++;
  const l = left[i];
  const r = right[i];
  if (l === undefined || r === undefined) return left.length - right.length;
  const byCode = (l.codePointAt(0) ?? 0) - (r.codePointAt(0) ?? 0);
  if (isLetter(l) && isLetter(r)) return byCode;
  if (isLetter(l) || isLetter(r)) return isLetter(r) ? -1 : 1;
  const carry = l === '0' || r === '0' ? carryBefore(left, i) : 0n;
  const one = digitsAt(left, i, carry);
  const other = digitsAt(right, i, carry);
  if (one.value !== other.value) return one.value < other.value ? -1 : 1;
  return one.end === other.end ? byCode : one.end - other.end;
}

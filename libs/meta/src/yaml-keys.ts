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

const isAsciiLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
const isAsciiDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Numbers of so many digits are exact as a JavaScript number. */
const exactDigits = 15;

/**
 * `compareYamlKeys` for texts whose first difference is between ASCII characters and decides without a number, or with a short one. Undefined for
 * others. A large document has 100,000 keys, and sorting them is one step.
 */
function compareSimple(a: string, b: string): number | undefined {
  const shorter = Math.min(a.length, b.length);
  let i = 0;
  while (i < shorter && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === shorter) return a.length - b.length;
  const l = a.charCodeAt(i);
  const r = b.charCodeAt(i);
  if (l >= 0x80 || r >= 0x80) return undefined;
  if (isAsciiLetter(l) || isAsciiLetter(r))
    return isAsciiLetter(l) === isAsciiLetter(r) ? l - r : isAsciiLetter(r) ? -1 : 1;
  if (!isAsciiDigit(l) && !isAsciiDigit(r)) return l - r;
  const before = i === 0 ? 0 : a.charCodeAt(i - 1);
  const continuesNumber = isAsciiDigit(before) || before >= 0x80;
  if (continuesNumber && (l === 0x30 || r === 0x30)) return undefined;
  const [one, other] = [asciiDigitsEnd(a, i), asciiDigitsEnd(b, i)];
  if (one === undefined || other === undefined) return undefined;
  return Number(a.slice(i, one)) - Number(b.slice(i, other)) || one - other || l - r;
}

/** Where the digits from `start` end; undefined for a number that is long or may have other digits than those of ASCII. */
function asciiDigitsEnd(text: string, start: number): number | undefined {
  let end = start;
  while (isAsciiDigit(text.charCodeAt(end))) end++;
  return end - start > exactDigits || text.charCodeAt(end) >= 0x80 ? undefined : end;
}

/** The order of map keys in YAML: letters by code point, after all other characters; digits by the number that they spell. */
export function compareYamlKeys(a: string, b: string): number {
  return compareSimple(a, b) ?? compareRunes(a, b);
}

/** `compareYamlKeys` for all texts. */
export function compareRunes(a: string, b: string): number {
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

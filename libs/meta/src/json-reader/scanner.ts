import { goQuoteByte } from '@apichain/go-text';
import { JsonSyntaxError } from './json-error.ts';

/** The code for the end of the text. */
const end = -1;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const isDigit = (code: number) => code >= 48 && code <= 57;
const isHex = (code: number) => isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

/** Whether a number may begin with this character. */
export const beginsNumber = (code: number): boolean => code === 45 || isDigit(code);

/**
 * Scans the characters of a JSON text, and the values that contain no others. Each `take` method moves past the value that it returns. It
 * throws JsonSyntaxError with the message of Go's scanner. Source: encoding/json/scanner.go.
 */
export class JsonScanner {
  readonly #text: string;
  #position = 0;
  #isInteger = true;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  /** Skips white space. Returns the code of the next character, -1 at the end. */
  peek(): number {
    for (;;) {
      const code = this.#code();
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.#position++;
    }
  }

  /** Skips a character. */
  pass(): void {
    this.#position++;
  }

  #code(): number {
    return this.#position < this.#text.length ? this.#text.charCodeAt(this.#position) : end;
  }

  /** Takes `true`, `false` or `null`. The scanner is at its first character. */
  takeWord(word: string): void {
    for (const expected of word) {
      if (this.#text.charAt(this.#position) !== expected) this.fail(`in literal ${word} (expecting '${expected}')`);
      this.#position++;
    }
  }

  /** Takes a string. The scanner is at the opening quote. Lone surrogates are replaced by U+FFFD. */
  takeString(): string {
    const text = this.#text;
    let start = ++this.#position;
    let out = '';
    for (;;) {
      const code = text.charCodeAt(this.#position);
      if (code === 34) break;
      if (code === 92) {
        out += text.slice(start, this.#position) + this.#takeEscape();
        start = this.#position;
      } else if (code >= 0x20) this.#position++;
      else this.fail('in string literal');
    }
    out += text.slice(start, this.#position++);
    return out.isWellFormed() ? out : out.toWellFormed();
  }

  #takeEscape(): string {
    const letter = this.#text.charAt(++this.#position);
    if (letter !== 'u') {
      const character = escapes[letter];
      if (character === undefined) this.fail('in string escape code');
      this.#position++;
      return character;
    }
    const start = ++this.#position;
    for (; this.#position < start + 4; this.#position++) {
      if (!isHex(this.#code())) this.fail('in \\u hexadecimal character escape');
    }
    return String.fromCharCode(parseInt(this.#text.slice(start, this.#position), 16));
  }

  /** Takes the text of a number. The scanner is at its first character. */
  takeNumber(): string {
    const start = this.#position;
    this.#isInteger = true;
    if (this.#code() === 45) this.#position++;
    if (this.#code() === 48) this.#position++;
    else this.#passDigits('in numeric literal');
    if (this.#code() === 46) {
      this.#isInteger = false;
      this.#position++;
      this.#passDigits('after decimal point in numeric literal');
    }
    if ((this.#code() | 32) === 101) {
      this.#isInteger = false;
      this.#position++;
      if (this.#code() === 43 || this.#code() === 45) this.#position++;
      this.#passDigits('in exponent of numeric literal');
    }
    return this.#text.slice(start, this.#position);
  }

  /** Whether the last number had neither a fraction nor an exponent. */
  get isInteger(): boolean {
    return this.#isInteger;
  }

  #passDigits(context: string): void {
    if (!isDigit(this.#code())) this.fail(context);
    while (isDigit(this.#code())) this.#position++;
  }

  /**
   * Go reports the first byte of the offending character. At the end of the input its scanner reads a space: where a space is invalid, Go
   * reports that space, else the unexpected end.
   */
  fail(context: string): never {
    const rune = this.#text.codePointAt(this.#position);
    if (rune === undefined) throw new JsonSyntaxError(endMessage(context), this.#position);
    const byte = Buffer.from(String.fromCodePoint(rune), 'utf8')[0] ?? 0;
    throw new JsonSyntaxError(`invalid character ${goQuoteByte(byte)} ${context}`, this.#position);
  }
}

const endMessage = (context: string): string =>
  /^in (?:literal|numeric|exponent|string escape|\\u)|^after decimal/.test(context)
    ? `invalid character ' ' ${context}`
    : 'unexpected end of JSON input';

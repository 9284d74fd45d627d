import { YamlError } from '../yaml-error.ts';

/** The code for the end of the text. */
const end = -1;

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
export const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
export const isBreakOrEnd = (code: number): boolean => code === end || isBreak(code);
export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isBreakOrEnd(code);
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Characters of names: ASCII letters and digits, `_` and `-`. */
export const isWord = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code === 0x2d;

/** The position of a scanner in its text. Lines count from zero; columns and offsets are UTF-16 units. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  /** The character code at the cursor, or `ahead` of it; -1 at the end. */
  code(ahead = 0): number {
    const at = this.at + ahead;
    return at < this.text.length ? this.text.charCodeAt(at) : end;
  }

  /** Skips a line break. */
  skipBreak(): void {
    this.at += this.code() === 0x0d && this.code(1) === 0x0a ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
  }

  /** Skips a line break, if there is one, and returns its replacement in a scalar. */
  takeBreak(): string {
    const code = this.code();
    if (!isBreak(code)) return '';
    this.skipBreak();
    return code === 0x2028 ? '\u2028' : code === 0x2029 ? '\u2029' : '\n';
  }

  skipToBreak(): void {
    const { text } = this;
    while (this.at < text.length && !isBreak(text.charCodeAt(this.at))) this.at++;
  }

  /** Whether the cursor is at `---` or `...` at the beginning of a line. */
  isAtDocumentIndicator(): boolean {
    if (this.at !== this.lineStart) return false;
    const code = this.code();
    const isIndicator = (code === 0x2d || code === 0x2e) && this.code(1) === code && this.code(2) === code;
    return isIndicator && isBlankOrEnd(this.code(3));
  }

  /** The error of Go's scanner at this position. Errors on the first line have no line number. */
  error(problem: string): YamlError {
    return new YamlError(`yaml: ${this.line === 0 ? '' : `line ${this.line + 1}: `}${problem}`);
  }
}

/** Line breaks of a scalar. They are counted, because millions of them may follow each other. */
export class Breaks {
  #text = '';
  #feeds = 0;

  add(lineBreak: string): void {
    if (lineBreak === '\n') this.#feeds++;
    else if (lineBreak !== '') {
      this.#text = this.toString() + lineBreak;
      this.#feeds = 0;
    }
  }
  get isEmpty(): boolean {
    return this.#feeds === 0 && this.#text === '';
  }
  toString(): string {
    return this.#text + '\n'.repeat(this.#feeds);
  }
}

/** The replacement of consecutive line breaks in a scalar that is not literal. */
export const folded = (first: string, others: Breaks): string =>
  first === '\n' ? (others.isEmpty ? ' ' : others.toString()) : first + others.toString();

import { badEscape, YamlError } from './yaml-error.ts';

export type FlowTokenKind =
  'start' | 'key' | 'value' | 'entry' | 'dash' | 'scalar' | 'alias' | 'property' | '{' | '}' | '[' | ']' | 'end';

export interface FlowToken {
  readonly kind: FlowTokenKind;
  readonly line: number;
  /** Where the text goes on after it. */
  readonly end: number;
}

interface SimpleKey {
  /** Which of all tokens it begins with. */
  readonly token: number;
  readonly line: number;
  readonly at: number;
}

const isBlank = (c: string | undefined): boolean => c === ' ' || c === '\t';
const isBreak = (c: string | undefined): boolean => c !== undefined && /[\r\n\x85\u2028\u2029]/.test(c);
const isBlankOrEnd = (c: string | undefined): boolean => c === undefined || isBlank(c) || isBreak(c);
const isAny = (c: string | undefined, of: string): boolean => c !== undefined && of.includes(c);
const escape =
  /\\(?:[0abt\tnvfre "'\\N_LP]|x[\da-fA-F]{2}|u(?![dD][89a-fA-F])[\da-fA-F]{4}|U(?:000(?!0[dD][89a-fA-F])[\da-fA-F]|0010)[\da-fA-F]{4})/y;
/** An implicit key ends on its line, and after so many characters. */
const longestKey = 1024;

/** What a text in braces begins to be when it is no flow collection after all: another reader has to look at it. */
export class NoFlowDocument extends Error {}

/**
 * The tokens of a YAML document that is one flow collection, in the order and with the lookahead of Go's scanner: its errors come before those
 * of a parser that has not got so far. After scannerc.go of go.yaml.in/yaml/v2.
 */
export class FlowScanner {
  readonly #text: string;
  #at = 0;
  #line = 0;
  #lineStart = 0;
  #level = 0;
  #keyAllowed = true;
  #taken = 0;
  readonly #tokens: FlowToken[] = [];
  /** What may become a key, on each level. */
  readonly #keys: (SimpleKey | undefined)[] = [undefined];
  /** The same by their first token, so that a token is looked up at once however deep it lies. */
  readonly #keyAt = new Map<number, SimpleKey>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The token that comes next. Throws YamlError, and NoFlowDocument. */
  peek(): FlowToken {
    for (;;) {
      const [head] = this.#tokens;
      const key = this.#keyAt.get(this.#taken);
      if (head !== undefined && (key === undefined || !this.#isAlive(key))) return head;
      this.#fetch();
    }
  }

  take(): void {
    this.#tokens.shift();
    this.#keyAt.delete(this.#taken++);
  }

  #isAlive({ line, at }: SimpleKey): boolean {
    return line === this.#line && at + longestKey >= this.#at;
  }

  #error(problem: string): YamlError {
    return new YamlError(`yaml: ${this.#line === 0 ? '' : `line ${this.#line + 1}: `}${problem}`);
  }

  #char(ahead = 0): string | undefined {
    return this.#text[this.#at + ahead];
  }

  #skipBreak(): void {
    this.#at += this.#char() === '\r' && this.#char(1) === '\n' ? 2 : 1;
    this.#line++;
    this.#lineStart = this.#at;
  }

  #skipToToken(): void {
    for (;;) {
      const c = this.#char();
      if (c === ' ' || (c === '\t' && (this.#level > 0 || !this.#keyAllowed))) this.#at++;
      else if (c === '#') while (this.#char() !== undefined && !isBreak(this.#char())) this.#at++;
      else if (isBreak(c)) {
        this.#skipBreak();
        if (this.#level === 0) this.#keyAllowed = true;
      } else return;
    }
  }

  #add(kind: FlowTokenKind, width: number): void {
    this.#at += width;
    this.#push(kind, this.#line);
  }

  #push(kind: FlowTokenKind, line: number): void {
    this.#tokens.push({ kind, line, end: this.#at });
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    this.#dropKey();
    const key = { token: this.#taken + this.#tokens.length, line: this.#line, at: this.#at };
    this.#keys[this.#keys.length - 1] = key;
    this.#keyAt.set(key.token, key);
  }

  #dropKey(): void {
    const key = this.#keys.at(-1);
    if (key !== undefined) this.#keyAt.delete(key.token);
    this.#keys[this.#keys.length - 1] = undefined;
  }

  #isMarker(): boolean {
    if (this.#at !== this.#lineStart || !isBlankOrEnd(this.#char(3))) return false;
    const text = this.#text.slice(this.#at, this.#at + 3);
    return text === '---' || text === '...';
  }

  #fetch(): void {
    this.#skipToToken();
    const c = this.#char();
    if (c === undefined) return this.#end();
    const isDirective = this.#at === this.#lineStart && c === '%';
    if (isDirective && !/^%(?:YAML|TAG)\b/.test(this.#text.slice(this.#at, this.#at + 6)))
      throw this.#error('found unknown directive name');
    if (isDirective || this.#isMarker()) {
      this.#dropKey();
      this.#keyAllowed = false;
      return this.#add('start', isDirective ? 1 : 3);
    }
    switch (c) {
      case '{':
      case '[':
        this.#saveKey();
        this.#keys.push(undefined);
        this.#level++;
        this.#keyAllowed = true;
        return this.#add(c, 1);
      case '}':
      case ']':
        this.#dropKey();
        if (this.#level > 0) {
          this.#keys.pop();
          this.#level--;
        }
        this.#keyAllowed = false;
        return this.#add(c, 1);
      case ',':
        this.#dropKey();
        this.#keyAllowed = true;
        return this.#add('entry', 1);
      case '"':
      case "'":
        return this.#quoted(c);
      case '*':
      case '&':
        return this.#anchor(c);
      case '!':
        return this.#tag();
      default:
        return this.#indicatorOrPlain(c);
    }
  }

  #end(): void {
    // The end is on a line of its own.
    if (this.#at !== this.#lineStart) {
      this.#line++;
      this.#lineStart = this.#at;
    }
    this.#keys.fill(undefined);
    this.#keyAt.clear();
    this.#keyAllowed = false;
    this.#add('end', 0);
  }

  #indicatorOrPlain(c: string): void {
    const stands = isBlankOrEnd(this.#char(1));
    const inFlow = this.#level > 0;
    if (c === '-' && stands) return this.#indicator('dash', 'block sequence entries are not allowed in this context');
    if (c === '?' && (inFlow || stands)) return this.#indicator('key', 'mapping keys are not allowed in this context');
    if (c === ':' && (inFlow || stands)) return this.#value();
    if (isAny(c, '|>') && !inFlow) {
      this.#dropKey();
      return this.#add('scalar', 1);
    }
    if (isAny(c, '|>%@`') || isBlank(c)) throw this.#error('found character that cannot start any token');
    this.#plain();
  }

  #indicator(kind: 'dash' | 'key', refusal: string): void {
    if (this.#level === 0 && !this.#keyAllowed) throw this.#error(refusal);
    this.#dropKey();
    this.#keyAllowed = kind === 'dash' || this.#level === 0;
    this.#add(kind, 1);
  }

  #value(): void {
    const key = this.#keys.at(-1);
    if (key !== undefined && this.#isAlive(key)) {
      const index = key.token - this.#taken;
      // The collection is the key of a block.
      if (this.#level === 0 && isAny(this.#tokens[index]?.kind, '{[')) throw new NoFlowDocument();
      this.#tokens.splice(index, 0, { kind: 'key', line: key.line, end: key.at });
      this.#dropKey();
      this.#keyAllowed = false;
    } else {
      if (this.#level === 0 && !this.#keyAllowed) throw this.#error('mapping values are not allowed in this context');
      this.#keyAllowed = this.#level === 0;
    }
    this.#add('value', 1);
  }

  #anchor(c: string): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const line = this.#line;
    this.#at++;
    const start = this.#at;
    while (/[\w-]/.test(this.#char() ?? '')) this.#at++;
    if (this.#at === start || !(isBlankOrEnd(this.#char()) || isAny(this.#char(), '?:,]}%@`')))
      throw this.#error('did not find expected alphabetic or numeric character');
    this.#push(c === '*' ? 'alias' : 'property', line);
  }

  #tag(): void {
    if (this.#char(1) === '<') throw new NoFlowDocument();
    this.#saveKey();
    this.#keyAllowed = false;
    const line = this.#line;
    while (/[\w;/?:@&=+$,.!~*'()[\]%-]/.test(this.#char() ?? '')) this.#at++;
    if (!isBlankOrEnd(this.#char())) throw this.#error('did not find expected whitespace or line break');
    this.#push('property', line);
  }

  #quoted(quote: string): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const line = this.#line;
    this.#at++;
    for (let c = this.#char(); c !== quote || this.#char(1) === quote; c = this.#char()) {
      if (c === undefined) throw this.#error('found unexpected end of stream');
      if (c === quote && quote === '"') break;
      if (this.#isMarker()) throw this.#error('found unexpected document indicator');
      if (isBreak(c)) this.#skipBreak();
      else if (c === quote) this.#at += 2;
      else if (c === '\\' && quote === '"') this.#escape();
      else this.#at++;
    }
    this.#at++;
    this.#push('scalar', line);
  }

  #escape(): void {
    if (isBreak(this.#char(1))) {
      this.#at++;
      return this.#skipBreak();
    }
    escape.lastIndex = this.#at;
    const known = escape.exec(this.#text)?.[0];
    if (known === undefined) throw this.#error(badEscape(this.#text.slice(this.#at, this.#at + 10)).text);
    this.#at += known.length;
  }

  #plain(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const line = this.#line;
    let end = this.#at;
    let endLine = this.#line;
    let lineStart = this.#lineStart;
    while (!this.#isMarker() && this.#char() !== '#') {
      const start = this.#at;
      while (!isBlankOrEnd(this.#char()) && !this.#endsPlain()) this.#at++;
      if (this.#at > start) [end, endLine, lineStart] = [this.#at, this.#line, this.#lineStart];
      if (!isBlank(this.#char()) && !isBreak(this.#char())) break;
      while (isBlank(this.#char()) || isBreak(this.#char())) {
        if (isBreak(this.#char())) this.#skipBreak();
        else this.#at++;
      }
      // A document of its own has no text on the lines below, but in braces.
      if (this.#level === 0 && this.#line !== endLine) break;
    }
    [this.#at, this.#line, this.#lineStart] = [end, endLine, lineStart];
    this.#push('scalar', line);
  }

  #endsPlain(): boolean {
    const c = this.#char();
    if (c === ':' && isBlankOrEnd(this.#char(1))) return true;
    return this.#level > 0 && isAny(c, ',?[]{}');
  }
}

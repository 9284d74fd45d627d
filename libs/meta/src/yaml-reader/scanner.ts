import { scanBlockScalar } from './block-scalar.ts';
import { Cursor, isBlank, isBlankOrEnd, isBreak, isWord } from './cursor.ts';
import { scanDirective } from './directive.ts';
import { scanPlainScalar } from './plain-scalar.ts';
import { scanQuotedScalar } from './quoted-scalar.ts';
import { SimpleKeys, type SimpleKey } from './simple-keys.ts';
import { scanTag } from './tag.ts';
import type { Token, TokenKind } from './token.ts';

const maxDepth = 10_000;
const tooDeep = `exceeded max depth of ${maxDepth}`;
/** Consumed tokens are removed from the array in batches of this size. */
const maxTaken = 256;

/** Characters that may follow the name of an anchor or alias. */
const afterName = new Set([...'?:,]}%@`'].map((character) => character.charCodeAt(0)));
/** Characters that plain text cannot begin with. */
const indicators = new Set([...'-?:,[]{}#&*!|>\'"%@`'].map((character) => character.charCodeAt(0)));

/**
 * The tokens of a YAML text, in order, with the lookahead of Go's scanner: its errors are reported before those of the parser at earlier
 * tokens. Time and memory are linear in the text. Source: scannerc.go of go.yaml.in/yaml/v2.
 */
export class Scanner {
  readonly #cursor: Cursor;
  #tokens: Token[] = [];
  #head = 0;
  /** The number of consumed tokens. */
  #taken = 0;
  #hasEnded = false;
  /** The indentation of the innermost block collection around the cursor; -1 if there is none. */
  #indent = -1;
  readonly #indents: number[] = [];
  #flowLevel = 0;
  #simpleKeyAllowed = true;
  readonly #simpleKeys: SimpleKeys;

  constructor(text: string) {
    this.#cursor = new Cursor(text);
    this.#simpleKeys = new SimpleKeys(this.#cursor);
  }

  /** The next token; the last is `stream-end`. Throws YamlError. */
  peek(): Token {
    for (;;) {
      const token = this.#tokens[this.#head];
      if (token !== undefined && (token.simpleKey === undefined || !this.#simpleKeys.isValid(token.simpleKey)))
        return token;
      if (this.#hasEnded && token !== undefined) return token;
      this.#fetch();
    }
  }

  take(): void {
    this.#taken++;
    if (++this.#head < maxTaken) return;
    this.#tokens = this.#tokens.slice(this.#head);
    this.#head = 0;
  }

  #saveSimpleKey(): SimpleKey | undefined {
    if (!this.#simpleKeyAllowed) return undefined;
    const isRequired = this.#flowLevel === 0 && this.#indent === this.#cursor.column;
    return this.#simpleKeys.save(this.#taken + this.#tokens.length - this.#head, isRequired);
  }

  #push(kind: TokenKind, line: number, given?: Partial<Token>): void {
    this.#tokens.push({ kind, line, text: '', isPlain: false, simpleKey: undefined, ...given });
  }

  /** Begins a block collection at a column. Its token is inserted before the token with the number `token`, or added at the end if that is -1. */
  #rollIndent(column: number, token: number, kind: TokenKind, line: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > maxDepth) throw this.#cursor.error(tooDeep);
    if (token < 0) this.#push(kind, line);
    else this.#insert(token, kind, line);
  }

  /** The tokens that follow are all on the last line and within its last thousand characters, so moving them is cheap. */
  #insert(token: number, kind: TokenKind, line: number): void {
    const inserted = { kind, line, text: '', isPlain: false, simpleKey: undefined };
    this.#tokens.splice(token - this.#taken + this.#head, 0, inserted);
  }

  /** Ends the block collections with a deeper indentation. */
  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push('block-end', this.#cursor.line);
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      const code = cursor.code();
      if (code === 0xfeff && cursor.column === 0) cursor.at++;
      else if (code === 0x20 || (code === 0x09 && (this.#flowLevel > 0 || !this.#simpleKeyAllowed))) cursor.at++;
      else if (code === 0x23) cursor.skipToBreak();
      else if (isBreak(code)) {
        cursor.skipBreak();
        if (this.#flowLevel === 0) this.#simpleKeyAllowed = true;
      } else return;
    }
  }

  #fetch(): void {
    this.#skipToToken();
    const cursor = this.#cursor;
    this.#unrollIndent(cursor.column);
    const code = cursor.code();
    if (code === -1) return this.#streamEnd();
    if (code === 0x25 && cursor.column === 0) return this.#directive();
    if (cursor.isAtDocumentIndicator()) return this.#documentIndicator(code);
    switch (code) {
      case 0x5b:
        return this.#flowStart('flow-sequence-start');
      case 0x7b:
        return this.#flowStart('flow-mapping-start');
      case 0x5d:
        return this.#flowEnd('flow-sequence-end');
      case 0x7d:
        return this.#flowEnd('flow-mapping-end');
      case 0x2c:
        return this.#flowEntry();
      case 0x2a:
        return this.#name('alias');
      case 0x26:
        return this.#name('anchor');
      case 0x21:
        return this.#tag();
      case 0x22:
      case 0x27:
        return this.#quoted();
      default:
        return this.#indicatorOrText(code);
    }
  }

  #indicatorOrText(code: number): void {
    const cursor = this.#cursor;
    const next = cursor.code(1);
    const stands = isBlankOrEnd(next);
    const inFlow = this.#flowLevel > 0;
    if (code === 0x2d && stands) return this.#blockEntry();
    if (code === 0x3f && (inFlow || stands)) return this.#key();
    if (code === 0x3a && (inFlow || stands)) return this.#value();
    if ((code === 0x7c || code === 0x3e) && !inFlow) return this.#block();
    const beginsText =
      !(isBlank(code) || indicators.has(code)) ||
      (code === 0x2d && !isBlank(next)) ||
      (!inFlow && (code === 0x3f || code === 0x3a) && !stands);
    if (!beginsText) throw cursor.error('found character that cannot start any token');
    this.#plain();
  }

  #streamEnd(): void {
    const cursor = this.#cursor;
    // The end of the stream is on a new line.
    if (cursor.column !== 0) {
      cursor.line++;
      cursor.lineStart = cursor.at;
    }
    this.#unrollIndent(-1);
    this.#simpleKeys.remove();
    this.#simpleKeyAllowed = false;
    this.#hasEnded = true;
    this.#push('stream-end', cursor.line);
  }

  #leaveBlocks(): void {
    this.#unrollIndent(-1);
    this.#simpleKeys.remove();
    this.#simpleKeyAllowed = false;
  }

  #directive(): void {
    this.#leaveBlocks();
    const { line } = this.#cursor;
    this.#push('directive', line, { directive: scanDirective(this.#cursor) });
  }

  #documentIndicator(code: number): void {
    this.#leaveBlocks();
    this.#indicator(code === 0x2d ? 'document-start' : 'document-end', 3);
  }

  #indicator(kind: TokenKind, length = 1): void {
    this.#push(kind, this.#cursor.line);
    this.#cursor.at += length;
  }

  #flowStart(kind: TokenKind): void {
    const cursor = this.#cursor;
    const simpleKey = this.#saveSimpleKey();
    this.#simpleKeys.enterFlow();
    if (++this.#flowLevel > maxDepth) throw cursor.error(tooDeep);
    this.#simpleKeyAllowed = true;
    this.#push(kind, cursor.line, { simpleKey });
    cursor.at++;
  }

  #flowEnd(kind: TokenKind): void {
    this.#simpleKeys.remove();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      this.#simpleKeys.leaveFlow();
    }
    this.#simpleKeyAllowed = false;
    this.#indicator(kind);
  }

  #flowEntry(): void {
    this.#simpleKeys.remove();
    this.#simpleKeyAllowed = true;
    this.#indicator('flow-entry');
  }

  #blockEntry(): void {
    const cursor = this.#cursor;
    if (this.#flowLevel === 0) {
      if (!this.#simpleKeyAllowed) throw cursor.error('block sequence entries are not allowed in this context');
      this.#rollIndent(cursor.column, -1, 'block-sequence-start', cursor.line);
    }
    this.#simpleKeys.remove();
    this.#simpleKeyAllowed = true;
    this.#indicator('block-entry');
  }

  #key(): void {
    const cursor = this.#cursor;
    if (this.#flowLevel === 0) {
      if (!this.#simpleKeyAllowed) throw cursor.error('mapping keys are not allowed in this context');
      this.#rollIndent(cursor.column, -1, 'block-mapping-start', cursor.line);
    }
    this.#simpleKeys.remove();
    this.#simpleKeyAllowed = this.#flowLevel === 0;
    this.#indicator('key');
  }

  #value(): void {
    const cursor = this.#cursor;
    const key = this.#simpleKeys.current;
    if (key !== undefined && this.#simpleKeys.isValid(key)) {
      this.#insert(key.token, 'key', key.line);
      this.#rollIndent(key.column, key.token, 'block-mapping-start', key.line);
      this.#simpleKeys.forget(key);
      this.#simpleKeyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#simpleKeyAllowed) throw cursor.error('mapping values are not allowed in this context');
        this.#rollIndent(cursor.column, -1, 'block-mapping-start', cursor.line);
      }
      this.#simpleKeyAllowed = this.#flowLevel === 0;
    }
    this.#indicator('value');
  }

  #name(kind: 'alias' | 'anchor'): void {
    const cursor = this.#cursor;
    const simpleKey = this.#saveSimpleKey();
    this.#simpleKeyAllowed = false;
    const start = ++cursor.at;
    while (isWord(cursor.code())) cursor.at++;
    if (cursor.at === start || !(isBlankOrEnd(cursor.code()) || afterName.has(cursor.code())))
      throw cursor.error('did not find expected alphabetic or numeric character');
    this.#push(kind, cursor.line, { text: cursor.text.slice(start, cursor.at), simpleKey });
  }

  #tag(): void {
    const simpleKey = this.#saveSimpleKey();
    this.#simpleKeyAllowed = false;
    this.#push('tag', this.#cursor.line, { tag: scanTag(this.#cursor), simpleKey });
  }

  #quoted(): void {
    const { line } = this.#cursor;
    const simpleKey = this.#saveSimpleKey();
    this.#simpleKeyAllowed = false;
    this.#tokens.push({ kind: 'scalar', line, text: scanQuotedScalar(this.#cursor), isPlain: false, simpleKey });
  }

  #plain(): void {
    const { line } = this.#cursor;
    const simpleKey = this.#saveSimpleKey();
    this.#simpleKeyAllowed = false;
    const { value, multiline } = scanPlainScalar(this.#cursor, this.#flowLevel > 0, this.#indent + 1);
    if (multiline) this.#simpleKeyAllowed = true;
    this.#tokens.push({ kind: 'scalar', line, text: value, isPlain: true, simpleKey });
  }

  #block(): void {
    const { line } = this.#cursor;
    this.#simpleKeys.remove();
    this.#simpleKeyAllowed = true;
    this.#push('scalar', line, { text: scanBlockScalar(this.#cursor, this.#indent) });
  }
}

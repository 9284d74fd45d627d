import { formatFloat } from '@apichain/go-text';
import { isContainer } from './unstructured.ts';
import { LazyList, textPieces, type Pieces, type TextOutput } from './lazy-list.ts';
import { stringifyJson } from './stringify-json.ts';
import { sorting } from './sorting.ts';
import { finish, type Work } from './turns.ts';
import { analyzeScalar, type ScalarAnalysis, escapeRune } from './yaml-analysis.ts';
import { compareYamlKeys } from './yaml-keys.ts';
import { YamlError } from './yaml-error.ts';
import { meansItself, resolvePlain } from './yaml-scalar.ts';

const bestIndent = 2;
const bestWidth = 80;
const simpleKeyLimit = 128;

/** The number of members and items that one step writes. */
const stepMembers = 100;

/** The names of the members, in the order of YAML. Many names are sorted in steps. */
function* sortedNames(value: Readonly<Record<string, unknown>>): Work<string[]> {
  const all = Object.keys(value);
  const isLong = all.length > stepMembers;
  // Listing many names is a step of its own.
  if (isLong) yield;
  const names = all.filter((name) => value[name] !== undefined);
  return isLong ? yield* sorting(names, compareYamlKeys) : names.sort(compareYamlKeys);
}

type Style = 'plain' | 'single' | 'double' | 'literal';

/** As a plain key it asks a reader to merge maps. Go's writer leaves it plain, and its reader refuses the document; here it is quoted. */
const mergeKey = '<<';

function chooseStyle(text: string, analysis: ScalarAnalysis, isKey: boolean): Style {
  const isPlain = meansItself(text) && !(isKey && text === mergeKey);
  let style: Style = text.includes('\n') ? 'literal' : isPlain ? 'plain' : 'double';
  if (isKey && analysis.multiline) style = 'double';
  if (style === 'plain' && (!analysis.plainAllowed || (text === '' && isKey))) style = 'single';
  if (style === 'single' && !analysis.singleQuotedAllowed) style = 'double';
  if (style === 'literal' && (!analysis.blockAllowed || isKey)) style = 'double';
  return style;
}

/** Characters that JSON does not escape and that Go's YAML parser, which reads the JSON in between, refuses. */
const forbidden = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/**
 * Next-line characters (U+0085), which JSON does not escape. In quotes, that parser folds them and the white space around them as line
 * breaks.
 */
const nextLines = /(?<! ) *\u0085[ \u0085]*/g;
const asParsed = (text: string): string =>
  text.includes('\u0085')
    ? text.replace(nextLines, (found) => '\n'.repeat(found.replaceAll(' ', '').length - 1) || ' ')
    : text;

/** Line breaks that are written as they are, unlike `\n`. The text after them is indented as on any new line. */
const isUnicodeBreak = (rune: string): boolean => rune === '\u2028' || rune === '\u2029';

/** The number after a round trip through JSON: text that reads as a 64-bit integer stays one, all other numbers are Go's `%g`. */
function numberText(value: number): string {
  const json = stringifyJson(value);
  return resolvePlain(json).kind === 'float' ? formatFloat(value) : json;
}

const needsEscape = /[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]|["\\]/gu;
const unicodeBreak = /[\u2028\u2029]/g;

/** The position of the next match of a global pattern; the length of the text if there is none. */
function indexFrom(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** The number of characters as Go counts them (code points). */
function runeCount(text: string): number {
  if (!/[\ud800-\udfff]/.test(text)) return text.length;
  let count = 0;
  for (let i = 0; i < text.length; count++) i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** A list or map that is being written. */
interface OpenContainer {
  /** The items of a list. */
  readonly items?: readonly unknown[] | LazyList;
  /** The members of a map, and their names in the order in which they are written. */
  readonly members?: { readonly of: Readonly<Record<string, unknown>>; readonly names: readonly string[] };
  readonly length: number;
  /** The number of members or items that have been written. */
  done: number;
  readonly outerIndent: number;
}

/** Writes block style as libyaml's emitter does: two spaces per level, lists not indented inside maps, lines folded at 80 columns. */
class Writer implements TextOutput {
  #out = '';
  #endsLine = false;
  #column = 0;
  #indent = -1;
  /** Whether this line has only indentation and list or map indicators so far. */
  #indention = true;
  /** Whether the last character written was white space. */
  #whitespace = true;
  #isBetweenItems = false;

  /** Whether the work has stopped between two items of a LazyList. */
  get isBetweenItems(): boolean {
    return this.#isBetweenItems;
  }

  /** The text since the last call. */
  take(): string {
    const text = this.#out;
    this.#out = '';
    if (text !== '') this.#endsLine = text.endsWith('\n');
    return text;
  }
  /** The rest of the text. */
  finish(): string {
    const text = this.take();
    return this.#endsLine ? text : `${text}\n`;
  }

  #put(text: string): void {
    this.#out += text;
    this.#column += runeCount(text);
  }
  #break(): void {
    this.#out += '\n';
    this.#column = 0;
  }
  #writeIndent(): void {
    const indent = Math.max(this.#indent, 0);
    if (!this.#indention || this.#column > indent || (this.#column === indent && !this.#whitespace)) this.#break();
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column));
    this.#whitespace = true;
    this.#indention = true;
  }
  #indicator(text: string, needsBlank: boolean, isIndention: boolean): void {
    if (needsBlank && !this.#whitespace) this.#put(' ');
    this.#put(text);
    this.#whitespace = false;
    this.#indention = this.#indention && isIndention;
  }
  /** Writes the value with all its members, in steps. */
  *document(value: unknown): Work<void> {
    const open: OpenContainer[] = [];
    const outermost = yield* this.#begin(value, false);
    if (outermost !== undefined) open.push(outermost);
    for (let steps = 1; open.length > 0; steps++) {
      const inner = open.at(-1);
      if (inner === undefined || inner.done === inner.length) {
        this.#indent = inner?.outerIndent ?? -1;
        open.pop();
      } else {
        const entered = yield* this.#next(inner);
        if (entered !== undefined) open.push(entered);
      }
      if (steps % stepMembers === 0) yield;
    }
  }

  *#betweenItems(): Work<void> {
    this.#isBetweenItems = true;
    yield;
    this.#isBetweenItems = false;
  }

  /** Writes a value without members. Returns a list or map that has members. */
  *#begin(value: unknown, inMap: boolean): Work<OpenContainer | undefined> {
    if (Array.isArray(value) || value instanceof LazyList) {
      const { length } = value;
      if (length > 0) return this.#open({ items: value, length }, inMap && !this.#indention);
      this.#indicator('[]', true, false);
    } else if (isContainer(value)) {
      const names = yield* sortedNames(value);
      if (names.length > 0) return this.#open({ members: { of: value, names }, length: names.length }, false);
      this.#indicator('{}', true, false);
    } else if (typeof value === 'string') this.#string(value, false);
    else this.#plain(typeof value === 'number' ? numberText(value) : stringifyJson(value), false);
    return undefined;
  }

  #open(container: Pick<OpenContainer, 'items' | 'members' | 'length'>, indentless: boolean): OpenContainer {
    const outerIndent = this.#indent;
    if (outerIndent < 0) this.#indent = 0;
    else if (!indentless) this.#indent += bestIndent;
    return { ...container, done: 0, outerIndent };
  }

  *#next(open: OpenContainer): Work<OpenContainer | undefined> {
    const { items, members } = open;
    const at = open.done++;
    if (members !== undefined) {
      const name = members.names[at] ?? '';
      this.#writeIndent();
      this.#key(name);
      return yield* this.#begin(members.of[name], true);
    }
    if (items instanceof LazyList) yield* this.#betweenItems();
    this.#writeIndent();
    this.#indicator('-', true, true);
    return yield* this.#begin(items instanceof LazyList ? yield* items.item(at) : items?.[at], false);
  }

  #key(key: string): void {
    if (Buffer.byteLength(key) <= simpleKeyLimit && !analyzeScalar(asParsed(key)).multiline) {
      this.#string(key, true);
      this.#indicator(':', false, false);
      return;
    }
    this.#indicator('?', true, true);
    this.#string(key, false);
    this.#writeIndent();
    this.#indicator(':', true, true);
  }

  #string(source: string, isKey: boolean): void {
    if (forbidden.test(source)) throw new YamlError('yaml: control characters are not allowed');
    const text = asParsed(source);
    const before = this.#indent;
    this.#indent = before < 0 ? bestIndent : before + bestIndent;
    switch (chooseStyle(text, analyzeScalar(text), isKey)) {
      case 'plain':
        this.#plain(text, !isKey);
        break;
      case 'single':
        this.#singleQuoted(text, !isKey);
        break;
      case 'double':
        this.#doubleQuoted(text, !isKey);
        break;
      case 'literal':
        this.#literal(text);
    }
    this.#indent = before;
  }

  #plain(text: string, mayFold: boolean): void {
    if (!this.#whitespace) this.#put(' ');
    this.#folded(text, mayFold, (part) => part);
    this.#whitespace = false;
    this.#indention = false;
  }

  #singleQuoted(text: string, mayFold: boolean): void {
    this.#indicator("'", true, false);
    this.#folded(text, mayFold, (part) => part.replaceAll("'", "''"));
    this.#indicator("'", false, false);
  }

  #unicodeBreak(rune: string): void {
    this.#put(rune);
    this.#column = 0;
    this.#indention = true;
  }

  /**
   * The earliest position of a space beyond the width; lines do not break before it. A character takes at most two columns: a quote is
   * doubled.
   */
  #mayBreakFrom(text: string, start: number, mayFold: boolean): number {
    if (!mayFold) return text.length;
    const found = text.indexOf(' ', start + Math.max(0, (bestWidth - this.#column) >> 1));
    return found < 0 ? text.length : found;
  }

  /** Breaks lines at single spaces beyond the width. The line break replaces the space. */
  #folded(text: string, mayFold: boolean, encode: (part: string) => string): void {
    let nextBreak = -1;
    let afterBlank = false;
    for (let start = 0; start < text.length;) {
      if (nextBreak < start) nextBreak = indexFrom(unicodeBreak, text, start);
      if (nextBreak === start) {
        this.#unicodeBreak(text.charAt(start));
        start++;
        continue;
      }
      if (start > 0 && isUnicodeBreak(text.charAt(start - 1))) this.#writeIndent();
      const stop = Math.min(nextBreak, this.#mayBreakFrom(text, start, mayFold));
      const atBlank = stop === start;
      const inside = start > 0 && start < text.length - 1;
      if (atBlank && !afterBlank && inside && this.#column > bestWidth && text[start + 1] !== ' ') this.#writeIndent();
      else this.#put(atBlank ? ' ' : encode(text.slice(start, stop)));
      start = atBlank ? start + 1 : stop;
      afterBlank = text[start - 1] === ' ';
      this.#indention = false;
      this.#whitespace = afterBlank;
    }
  }

  #doubleQuoted(text: string, mayFold: boolean): void {
    this.#indicator('"', true, false);
    // As in libyaml's emitter, a leading byte order mark makes the emitter escape every character.
    if (text.startsWith('\ufeff')) for (const rune of text) this.#put(escapeRune(rune));
    else this.#escaped(text, mayFold);
    this.#indention = false;
    this.#whitespace = false;
    this.#indicator('"', false, false);
  }

  #escaped(text: string, mayFold: boolean): void {
    let nextEscape = -1;
    let afterBlank = false;
    for (let start = 0; start < text.length;) {
      if (nextEscape < start) nextEscape = indexFrom(needsEscape, text, start);
      if (nextEscape === start) {
        const rune = String.fromCodePoint(text.codePointAt(start) ?? 0);
        this.#put(escapeRune(rune));
        start += rune.length;
      } else {
        const stop = Math.min(nextEscape, this.#mayBreakFrom(text, start, mayFold));
        const atBlank = stop === start;
        if (atBlank && !afterBlank && this.#column > bestWidth && start > 0 && start < text.length - 1) {
          this.#writeIndent();
          if (text[start + 1] === ' ') this.#put('\\');
        } else this.#put(atBlank ? ' ' : text.slice(start, stop));
        start = atBlank ? start + 1 : stop;
      }
      afterBlank = text[start - 1] === ' ';
      this.#indention = false;
      this.#whitespace = false;
    }
  }

  #literalLine(line: string): void {
    for (const part of line.split(/(?<=[\u2028\u2029])/u)) {
      if (!isUnicodeBreak(part)) this.#writeIndent();
      this.#put(part);
      this.#indention = isUnicodeBreak(part.slice(-1));
      this.#whitespace = this.#indention;
      if (this.#indention) this.#column = 0;
    }
  }

  #literal(text: string): void {
    const hint = /^[ \n\u2028\u2029]/u.test(text) ? String(bestIndent) : '';
    const chomp = !/[\n\u2028\u2029]$/u.test(text)
      ? '-'
      : /(?:^|[\n\u2028\u2029])[\n\u2028\u2029]$/u.test(text)
        ? '+'
        : '';
    this.#indicator(`|${hint}${chomp}`, true, false);
    this.#break();
    this.#indention = true;
    this.#whitespace = true;
    const lines = text.split('\n');
    lines.forEach((line, i) => {
      if (line !== '') this.#literalLine(line);
      if (i === lines.length - 1) return;
      this.#break();
      this.#indention = true;
      this.#whitespace = true;
    });
  }
}

/**
 * YAML as kube-apiserver writes it (sigs.k8s.io/yaml): keys sorted with their numbers by value, two spaces per level, lists not indented
 * inside maps, text quoted only where necessary. Undefined members are omitted. Throws YamlError for characters that YAML does not allow.
 */
export function stringifyYaml(value: unknown): string {
  return finish(yamlText(value));
}

/** stringifyYaml in steps. */
export function* yamlText(value: unknown): Work<string> {
  const writer = new Writer();
  yield* writer.document(value);
  return writer.finish();
}

/** yamlText in pieces, for documents with a LazyList. Throws YamlError, possibly after the first pieces. */
export function* yamlPieces(value: unknown): Pieces<Buffer> {
  const writer = new Writer();
  yield* textPieces(writer.document(value), writer);
  yield Buffer.from(writer.finish());
}

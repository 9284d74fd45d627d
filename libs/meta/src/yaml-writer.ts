import { stringifyJson } from './json.ts';
import { analyzeScalar, type ScalarAnalysis } from './yaml-analysis.ts';
import { compareYamlKeys } from './yaml-keys.ts';
import { YamlError } from './yaml-error.ts';
import { meansItself, resolvePlain } from './yaml-scalar.ts';

const bestIndent = 2;
const bestWidth = 80;
const simpleKeyLimit = 128;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const members = (value: object): [string, unknown][] =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareYamlKeys(a, b));

type Style = 'plain' | 'single' | 'double' | 'literal';

function chooseStyle(text: string, analysis: ScalarAnalysis, isKey: boolean): Style {
  let style: Style = text.includes('\n') ? 'literal' : meansItself(text) ? 'plain' : 'double';
  if (isKey && analysis.multiline) style = 'double';
  if (style === 'plain' && (!analysis.plainAllowed || (text === '' && isKey))) style = 'single';
  if (style === 'single' && !analysis.singleQuotedAllowed) style = 'double';
  if (style === 'literal' && (!analysis.blockAllowed || isKey)) style = 'double';
  return style;
}

const namedEscapes = new Map<number, string>([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0xa0, '_'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);
const needsEscape = /[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]|["\\]/u;

function escapeRune(rune: string): string {
  const code = rune.codePointAt(0) ?? 0;
  const named = namedEscapes.get(code);
  if (named !== undefined) return `\\${named}`;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** What the parser that the JSON goes through on its way refuses, and JSON does not escape. */
const forbidden = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** Next lines (U+0085), which JSON does not escape: that parser folds them, with the blanks around them, as line breaks in quotes. */
const nextLines = /(?<! ) *\u0085[ \u0085]*/g;
const asParsed = (text: string): string =>
  text.includes('\u0085')
    ? text.replace(nextLines, (found) => '\n'.repeat(found.replaceAll(' ', '').length - 1) || ' ')
    : text;

/** Breaks that come out as they are, unlike `\n`; what follows them is indented as on any new line. */
const isUnicodeBreak = (rune: string): boolean => rune === '\u2028' || rune === '\u2029';

/** The number as it comes back from JSON: what looks like an integer of 64 bits stays one, all else is Go's `%g`. */
function numberText(value: number): string {
  const json = stringifyJson(value);
  if (resolvePlain(json).kind !== 'float') return json;
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return json;
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Writes block style the way libyaml's emitter does: two blanks a level, lists not indented inside maps, folded at 80 columns. */
class Writer {
  #out = '';
  #column = 0;
  #indent = -1;
  /** Only indentation and list or map indicators stand on this line so far. */
  #indention = true;
  /** The last thing written was blank. */
  #whitespace = true;

  finish(): string {
    return this.#out.endsWith('\n') ? this.#out : `${this.#out}\n`;
  }

  #put(text: string): void {
    this.#out += text;
    this.#column += Buffer.byteLength(text) === text.length ? text.length : [...text].length;
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
  #nested(indentless: boolean, run: () => void): void {
    const before = this.#indent;
    if (before < 0) this.#indent = 0;
    else if (!indentless) this.#indent += bestIndent;
    run();
    this.#indent = before;
  }

  value(value: unknown, inMap: boolean): void {
    if (Array.isArray(value)) this.#list(value, inMap);
    else if (isObject(value)) this.#map(value);
    else if (typeof value === 'string') this.#string(value, false);
    else this.#plain(typeof value === 'number' ? numberText(value) : stringifyJson(value), false);
  }

  #list(items: readonly unknown[], inMap: boolean): void {
    if (items.length === 0) return this.#indicator('[]', true, false);
    this.#nested(inMap && !this.#indention, () => {
      for (const item of items) {
        this.#writeIndent();
        this.#indicator('-', true, true);
        this.value(item, false);
      }
    });
  }

  #map(object: object): void {
    const entries = members(object);
    if (entries.length === 0) return this.#indicator('{}', true, false);
    this.#nested(false, () => {
      for (const [key, value] of entries) this.#member(key, value);
    });
  }

  #member(key: string, value: unknown): void {
    this.#writeIndent();
    if (Buffer.byteLength(key) <= simpleKeyLimit && !analyzeScalar(asParsed(key)).multiline) {
      this.#string(key, true);
      this.#indicator(':', false, false);
    } else {
      this.#indicator('?', true, true);
      this.#string(key, false);
      this.#writeIndent();
      this.#indicator(':', true, true);
    }
    this.value(value, true);
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
    this.#folded([...text], mayFold, (rune) => rune);
    this.#whitespace = false;
    this.#indention = false;
  }

  #singleQuoted(text: string, mayFold: boolean): void {
    this.#indicator("'", true, false);
    this.#folded([...text], mayFold, (rune) => (rune === "'" ? "''" : rune));
    this.#indicator("'", false, false);
  }

  #unicodeBreak(rune: string): void {
    this.#put(rune);
    this.#column = 0;
    this.#indention = true;
  }

  /** Lines break at single blanks beyond the width; the blank is what the break stands for. */
  #folded(runes: readonly string[], mayFold: boolean, encode: (rune: string) => string): void {
    let afterBlank = false;
    runes.forEach((rune, i) => {
      if (isUnicodeBreak(rune)) return this.#unicodeBreak(rune);
      if (i > 0 && isUnicodeBreak(runes[i - 1] ?? '')) this.#writeIndent();
      const isBlank = rune === ' ';
      const inside = i > 0 && i < runes.length - 1;
      if (isBlank && mayFold && !afterBlank && inside && this.#column > bestWidth && runes[i + 1] !== ' ') {
        this.#writeIndent();
      } else this.#put(encode(rune));
      this.#indention = false;
      this.#whitespace = isBlank;
      afterBlank = isBlank;
    });
  }

  #doubleQuoted(text: string, mayFold: boolean): void {
    this.#indicator('"', true, false);
    const runes = [...text];
    // After a byte order mark that emitter takes each character for one.
    const escapeAll = text.startsWith('\ufeff');
    let afterBlank = false;
    runes.forEach((rune, i) => {
      const isBlank = rune === ' ' && !escapeAll;
      if (isBlank && mayFold && !afterBlank && this.#column > bestWidth && i > 0 && i < runes.length - 1) {
        this.#writeIndent();
        if (runes[i + 1] === ' ') this.#put('\\');
      } else this.#put(escapeAll || needsEscape.test(rune) ? escapeRune(rune) : rune);
      this.#indention = false;
      this.#whitespace = false;
      afterBlank = isBlank;
    });
    this.#indicator('"', false, false);
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
 * YAML as kube-apiserver writes it (sigs.k8s.io/yaml): keys sorted with numbers in them by value, two blanks a level,
 * lists not indented inside maps, text quoted only where it must be. Members that are undefined are left out.
 * Throws YamlError for characters that YAML does not know.
 */
export function stringifyYaml(value: unknown): string {
  const writer = new Writer();
  writer.value(value, false);
  return writer.finish();
}

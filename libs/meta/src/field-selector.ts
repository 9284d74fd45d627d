import { SelectorError } from './selector-error.ts';

export interface FieldRequirement {
  readonly field: string;
  /** `==` is read as `=`. */
  readonly operator: '=' | '!=';
  readonly value: string;
}
type Fields = Readonly<Record<string, string>>;

/** Escapes a value for use in a selector. */
export const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let escaped = false;
  for (const rune of text) {
    if (escaped) {
      if (!'\\,='.includes(rune)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${rune}`);
      }
      value += rune;
      escaped = false;
    } else if (rune === '\\') escaped = true;
    else if (rune === ',' || rune === '=') {
      // The message contains the code point of the rune as a number.
      throw new SelectorError(`invalid field selector: unescaped character in value: ${rune.codePointAt(0) ?? 0}`);
    } else value += rune;
  }
  if (escaped) throw new SelectorError('invalid field selector: invalid escape sequence: \\');
  return value;
}

function splitTerms(text: string): string[] {
  if (text === '') return [];
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/**
 * Requirements on the selectable fields of a kind. An object matches if all are met. Immutable.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[] = []) {
    this.requirements = requirements;
  }
  /** True when every object matches. */
  get empty(): boolean {
    return this.requirements.length === 0;
  }
  /** A missing field has the empty value. */
  matches(fields: Fields): boolean {
    for (const { field, operator, value } of this.requirements) {
      const actual = Object.hasOwn(fields, field) ? (fields[field] ?? '') : '';
      if ((actual === value) !== (operator === '=')) return false;
    }
    return true;
  }
  /** The value that the field must have, if the selector requires exactly one. */
  requiresExactMatch(field: string): string | undefined {
    return this.requirements.find((r) => r.field === field && r.operator === '=')?.value;
  }
  /**
   * The selector with fields renamed for another version. `convert` returns the new field and value, or two empty strings to drop the
   * requirement. It throws the error for the client.
   */
  transform(convert: (field: string, value: string) => { field: string; value: string }): FieldSelector {
    const requirements = this.requirements
      .map(({ operator, ...term }) => ({ ...convert(term.field, term.value), operator }))
      .filter(({ field, value }) => field !== '' || value !== '');
    return new FieldSelector(requirements);
  }
  /** The canonical text; parsing it gives an equal selector. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
      .join(',');
  }
}

/** Every object of a list is compared with every term. */
const maxTerms = 1000;

/**
 * Reads the `fieldSelector=` parameter of a list: terms `field=value`, `field==value`, `field!=value` joined by commas, where `\` escapes a
 * comma, an equals sign or itself. The terms of the result are sorted. Throws SelectorError with the message of fields.ParseSelector
 * (k8s.io/apimachinery/pkg/fields).
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  const terms = splitTerms(text);
  if (terms.length > maxTerms) throw new SelectorError(`invalid selector: it has more than ${maxTerms} terms`);
  for (const term of terms.sort()) {
    if (term === '') continue;
    const match = /!=|==|=/.exec(term);
    if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    requirements.push({
      field: term.slice(0, match.index),
      operator: match[0] === '!=' ? '!=' : '=',
      value: unescapeFieldValue(term.slice(match.index + match[0].length)),
    });
  }
  return new FieldSelector(requirements.filter(({ field, value }) => field !== '' || value !== ''));
}

/** An error of `format` in a template or its arguments; `argument` is the index of the argument that does not fit. */
export class FormatClauseError extends Error {
  readonly argument: number | undefined;
  constructor(message: string, argument?: number) {
    super(message);
    this.argument = argument;
  }
}

const verbs = ['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o'] as const;
export type Verb = (typeof verbs)[number];
export interface Clause {
  readonly verb: Verb;
  readonly precision?: number;
}

/** Replaces every clause of a template with `size` arguments. Throws FormatClauseError. After cel-go's ext/formatting.go. */
export function replaceClauses(
  template: string,
  size: number,
  textOf: (clause: Clause, argument: number) => string,
): string {
  let text = '';
  let argument = 0;
  for (let i = 0; i < template.length;) {
    const c = template.charAt(i);
    if (c !== '%' || template.charAt(i + 1) === '%') {
      text += c;
      i += c === '%' ? 2 : 1;
      continue;
    }
    if (argument >= size) throw new FormatClauseError(`index ${argument} out of range`);
    if (i + 1 >= template.length) throw new FormatClauseError('unexpected end of string');
    const { clause, length } = readClause(template.slice(i + 1));
    text += textOf(clause, argument);
    argument++;
    i += 1 + length;
  }
  return text;
}

function readClause(rest: string): { clause: Clause; length: number } {
  const digits = /^\.(\d*)/.exec(rest)?.[1];
  const before = digits === undefined ? 0 : digits.length + 1;
  const problem = (why: string) => new FormatClauseError(`could not parse formatting clause: ${why}`);
  if (before >= rest.length) throw problem('error while parsing precision: could not find end of precision specifier');
  if (digits === '')
    throw problem(
      'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    );
  const letter = rest.charAt(before);
  const verb = verbs.find((v) => v === letter);
  if (verb === undefined) throw problem(`unrecognized formatting clause "${letter}"`);
  return { clause: digits === undefined ? { verb } : { verb, precision: Number(digits) }, length: before + 1 };
}

const demands: Readonly<Record<Verb, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};
export const wrongArgument = (verb: Verb, type: string, argument?: number): FormatClauseError =>
  new FormatClauseError(`error during formatting: ${demands[verb]}, was given ${type}`, argument);

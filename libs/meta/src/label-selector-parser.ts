import { formatBadValue } from './field-error.ts';
import { newLabelRequirement, type LabelOperator, type LabelRequirement } from './label-requirement.ts';
import { Lexer, type Token, type TokenKind } from './label-selector-lexer.ts';
import { isQualifiedName } from './names.ts';
import { SelectorError } from './selector-error.ts';

const binaryOperators = 'in, notin, =, ==, !=, gt, lt';
const operatorOf: Partial<Record<TokenKind, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

const sorted = (values: ReadonlySet<string>) => [...values].sort();

/** Every object of a list is compared with every requirement. */
const maxRequirements = 1000;
/** The limit for one list of values. A request line cannot hold more. */
const maxValues = 50_000;

/** Reads one selector. The position only moves forward and stops at the closing token. */
class Parser {
  readonly #lexer: Lexer;
  #next: Token;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
    this.#next = this.#lexer.next();
  }

  /** `in` and `notin` are ordinary words except where an operator is expected. */
  #peek(operatorDue = false): Token {
    const token = this.#next;
    if (!operatorDue && (token.kind === 'in' || token.kind === 'notin'))
      return { kind: 'identifier', text: token.text };
    return token;
  }
  #take(operatorDue = false): Token {
    const token = this.#peek(operatorDue);
    this.#next = this.#lexer.next();
    return token;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      if (requirements.length > maxRequirements)
        throw new SelectorError(`a selector has no more than ${maxRequirements} requirements`);
      const first = this.#peek();
      if (first.kind === 'end') return requirements;
      if (first.kind !== 'identifier' && first.kind !== '!') {
        throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.kind === 'end') return requirements;
      if (separator.kind !== ',') {
        throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      const next = this.#peek();
      if (next.kind !== 'identifier' && next.kind !== '!') {
        throw new SelectorError(`found '${next.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    try {
      return this.#readRequirement();
    } catch (error) {
      if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #readRequirement(): LabelRequirement {
    let token = this.#take();
    const negated = token.kind === '!';
    if (negated) token = this.#take();
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const messages = isQualifiedName(key);
    if (messages.length > 0) {
      throw new SelectorError(`<nil>: Invalid value: ${formatBadValue(key)}: ${messages.join('; ')}`);
    }
    const next = this.#peek().kind;
    if (negated) return newLabelRequirement(key, '!');
    if (next === 'end' || next === ',') return newLabelRequirement(key, 'exists');
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#valueList() : [this.#exactValue()];
    return newLabelRequirement(key, operator, values);
  }

  #operator(): LabelOperator {
    const token = this.#take(true);
    const operator = operatorOf[token.kind];
    if (operator === undefined) throw new SelectorError(`found '${token.text}', expected: ${binaryOperators}`);
    return operator;
  }

  #exactValue(): string {
    const next = this.#peek().kind;
    if (next === 'end' || next === ',') return '';
    const token = this.#take();
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #valueList(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#take();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',') {
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#identifiers();
    this.#take();
    return values;
  }

  /** Reads up to the closing parenthesis, which is not consumed. Nothing between two commas is the empty value. */
  #identifiers(): string[] {
    const values = new Set<string>();
    for (let read = 0; ; read++) {
      if (read > 2 * maxValues) throw new SelectorError(`a list of values has no more than ${maxValues}`);
      const token = this.#take();
      const next = this.#peek();
      if (token.kind === 'identifier') {
        values.add(token.text);
        if (next.kind === ')') return sorted(values);
        if (next.kind !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('');
        if (next.kind === ')' || next.kind === ',') values.add('');
        if (next.kind === ')') return sorted(values);
      } else throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
    }
  }
}

/** The validated requirements of a selector's text, in their original order. Throws SelectorError. */
export function parseRequirements(text: string): LabelRequirement[] {
  return new Parser(text).parse();
}

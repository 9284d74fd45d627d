import { nowhere, type Issue } from './issues.ts';
import type { Token } from './lexer.ts';

/** The tokens that may follow at a position in a rule, and whether the rule may end there. */
export interface Follow {
  readonly tokens: ReadonlySet<string>;
  readonly mayEnd: boolean;
}
export const follow = (tokens: readonly string[], mayEnd = false): Follow => ({ tokens: new Set(tokens), mayEnd });

/** A token that the rule does not allow. It ends the rule, and the calling rules continue. Thrown only within a rule. */
class Unrecognized extends Error {
  readonly issue: Issue;
  readonly state: string;
  constructor(issue: Issue, state: string) {
    super(issue.message);
    this.issue = issue;
    this.state = state;
  }
}
/** Ends parsing; the errors are in the issues. */
export class GivenUp extends Error {}

const order = (
  "<EOF> '==' '!=' 'in' '<' '<=' '>=' '>' '&&' '||' '[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' ':' '+' '*' '/' '%' " +
  "'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER"
).split(' ');
const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);
const names: Record<Token['kind'], string> = {
  ident: 'IDENTIFIER',
  escaped: 'ESC_IDENTIFIER',
  int: 'NUM_INT',
  uint: 'NUM_UINT',
  double: 'NUM_FLOAT',
  string: 'STRING',
  bytes: 'BYTES',
  op: '',
  end: '<EOF>',
};
const kindOf = ({ kind, text }: Token): string =>
  kind === 'op' || (kind === 'ident' && keywords.has(text)) ? `'${text}'` : names[kind];
const quote = (text: string): string =>
  `'${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;
const listed = (tokens: ReadonlySet<string>): string => {
  const shown = order.filter((token) => tokens.has(token));
  return shown.length === 1 ? (shown[0] ?? '') : `{${shown.join(', ')}}`;
};
const endOfFile = { kind: 'end', text: '<EOF>', at: 0 } satisfies Token;
const maxAttempts = 30;
/** The number of tokens that one attempt may skip. */
const maxSkipped = 256;

/**
 * Passes the tokens of an expression to the rules of its grammar. After an error it recovers like ANTLR's default strategy: it skips an
 * extraneous token or inserts a missing one. If neither helps, it leaves the rule and skips tokens up to one at which a calling rule can
 * continue. No further issue is reported until a token is taken again. `state` identifies a position in the grammar.
 * https://github.com/antlr/antlr4/blob/master/doc/parser-rules.md#catching-exceptions
 */
export class TokenReader {
  readonly issues: Issue[] = [];
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #kinds: readonly string[];
  /** For each rule being read, the tokens that may follow it in its calling rule, outermost first. */
  readonly #callers: Follow[] = [];
  #position = 0;
  #isRecovering = false;
  #attempts = 0;
  #lastError = -1;
  readonly #lastStates = new Set<string>();

  constructor(source: string, tokens: readonly Token[]) {
    this.#source = source;
    this.#tokens = tokens;
    this.#kinds = tokens.map(kindOf);
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#position + ahead] ?? this.#tokens.at(-1) ?? endOfFile;
  }
  kind(ahead = 0): string {
    return this.#kinds[this.#position + ahead] ?? '<EOF>';
  }

  /** Runs a rule. After an unrecognized token, its caller continues at a token that may follow. */
  rule(after: Follow, read: () => void): void {
    this.#callers.push(after);
    try {
      read();
    } catch (error) {
      if (!(error instanceof Unrecognized)) throw error;
      this.#report(error.issue);
      this.#recover(error.state);
    }
    this.#callers.pop();
  }

  /** Takes a token whose kind has been checked. */
  take(): Token {
    const token = this.peek();
    this.#isRecovering = false;
    this.#lastError = -1;
    this.#lastStates.clear();
    if (this.#position < this.#tokens.length - 1) this.#position++;
    return token;
  }

  /** Takes a token of the expected kind; `after` is what may follow it. */
  match(expected: string, state: string, after: Follow): void {
    if (this.kind() === expected) this.take();
    else this.#recoverInline(expected, state, after);
  }
  #recoverInline(expected: string, state: string, after: Follow): void {
    this.#attempt();
    if (this.#skipExtraneous(new Set([expected]))) {
      this.take();
      return;
    }
    if (!this.#mayStand(after)) throw this.#mismatch(new Set([expected]), state);
    this.#report({
      at: this.peek().at,
      message: `Syntax error: missing ${expected} at ${quote(this.peek().text)}`,
    });
  }

  /** Called before alternatives: the next token, or the one after an extraneous token, must be an expected one. */
  sync(expected: ReadonlySet<string>, state: string): void {
    if (this.#isRecovering || expected.has(this.kind()) || this.#skipExtraneous(expected)) return;
    throw this.#mismatch(expected, state);
  }

  /** Called after an iteration of a loop: skips tokens that cannot follow. */
  syncLoop(expected: ReadonlySet<string>): void {
    if (this.#isRecovering || expected.has(this.kind())) return;
    this.#reportExtraneous(expected);
    this.#skipTo(expected);
  }

  /** The error if no alternative continues with the token at offset `ahead`, although the tokens before it begin one. */
  noViable(ahead: number, state: string): Error {
    const written = this.#written(ahead);
    const constant = /^.(true|false|null)$/su.exec(written)?.[1];
    const message =
      constant === undefined
        ? `no viable alternative at input ${quote(written)}`
        : `mismatched input '${constant}' expecting IDENTIFIER`;
    return new Unrecognized({ at: this.peek(ahead).at, message: `Syntax error: ${message}` }, state);
  }
  #written(ahead: number): string {
    if (this.kind() === '<EOF>') return '<EOF>';
    const points = [...this.#source];
    let text = '';
    for (let k = 0; k <= ahead && this.kind(k) !== '<EOF>'; k++) {
      const token = this.peek(k);
      text += token.text;
      const gap = points.slice(token.at + [...token.text].length, this.peek(k + 1).at).join('');
      if (k < ahead) text += gap.match(/[\t \r\n\f]+|\/\/[^\n]*/g)?.join('') ?? '';
    }
    return text;
  }

  /** Whether the current token may follow at a position. If rules may end there, it may also follow in the calling rules. */
  #mayStand(place: Follow): boolean {
    for (let depth = this.#callers.length; ; depth--) {
      if (place.tokens.has(this.kind())) return true;
      const caller = this.#callers[depth - 1];
      if (!place.mayEnd || caller === undefined) return false;
      place = caller;
    }
  }
  #skipExtraneous(expected: ReadonlySet<string>): boolean {
    if (!expected.has(this.kind(1))) return false;
    this.#reportExtraneous(expected);
    this.take();
    return true;
  }
  #reportExtraneous(expected: ReadonlySet<string>): void {
    const message = `Syntax error: extraneous input ${quote(this.peek().text)} expecting ${listed(expected)}`;
    this.#report({ at: this.peek().at, message });
  }
  #mismatch(expected: ReadonlySet<string>, state: string): Unrecognized {
    const message = `Syntax error: mismatched input ${quote(this.peek().text)} expecting ${listed(expected)}`;
    return new Unrecognized({ at: this.peek().at, message }, state);
  }
  #report(issue: Issue): void {
    if (!this.#isRecovering) this.issues.push(issue);
    this.#isRecovering = true;
  }

  #recover(state: string): void {
    this.#attempt();
    const begin = this.#position;
    if (this.#lastError === this.#position && this.#lastStates.has(state)) this.#skip();
    this.#lastError = this.#position;
    this.#lastStates.add(state);
    this.#skipTo(new Set(), begin + maxSkipped);
  }
  /** `last`: the highest position that may be reached. */
  #skipTo(stops: ReadonlySet<string>, last = Number.POSITIVE_INFINITY): void {
    const all = new Set(['<EOF>', ...stops]);
    for (const { tokens } of this.#callers) for (const token of tokens) all.add(token);
    while (!all.has(this.kind())) {
      if (this.#position >= last) this.#giveUp(nowhere, `error recovery token lookahead limit exceeded: ${maxSkipped}`);
      this.#skip();
    }
  }
  #skip(): void {
    if (this.#position < this.#tokens.length - 1) this.#position++;
  }
  #attempt(): void {
    if (this.#attempts++ < maxAttempts) return;
    this.#giveUp(this.peek().at, `Syntax error: error recovery attempt limit exceeded: ${maxAttempts}`);
  }
  #giveUp(at: number, message: string): never {
    this.issues.push({ at, message });
    throw new GivenUp(message);
  }
}

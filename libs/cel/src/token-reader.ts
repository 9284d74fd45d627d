import { nowhere, type Issue } from './issues.ts';
import type { Token } from './lexer.ts';

/** What may stand at a place of a rule: kinds of tokens, and whether the rule may end there. */
export interface Follow {
  readonly tokens: ReadonlySet<string>;
  readonly mayEnd: boolean;
}
export const follow = (tokens: readonly string[], mayEnd = false): Follow => ({ tokens: new Set(tokens), mayEnd });

/** Nothing that a rule allows; the rule is left, and those who called it go on. Thrown to the rule only. */
class Unrecognized extends Error {
  readonly issue: Issue;
  readonly state: string;
  constructor(issue: Issue, state: string) {
    super(issue.message);
    this.issue = issue;
    this.state = state;
  }
}
/** No more is read: what is wrong is in the issues. */
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
/** How many tokens one attempt may skip. */
const maxSkipped = 256;

/**
 * Hands the tokens of an expression to the rules of its grammar, and goes on after errors as ANTLR's default strategy does: a token too
 * many is skipped, a missing one made up, else the rule is left and tokens are skipped up to one with which a caller can go on. Until a
 * token is taken again, no further issue is told. `state` names a place in the grammar.
 * https://github.com/antlr/antlr4/blob/master/doc/parser-rules.md#catching-exceptions
 */
export class TokenReader {
  readonly issues: Issue[] = [];
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #kinds: readonly string[];
  /** What follows each rule that is being read in the one that called it, outermost first. */
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

  /** Runs a rule; after what it does not recognize its caller goes on at a token of those that may follow. */
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

  /** Takes a token that is known to be of the right kind. */
  take(): Token {
    const token = this.peek();
    this.#isRecovering = false;
    this.#lastError = -1;
    this.#lastStates.clear();
    if (this.#position < this.#tokens.length - 1) this.#position++;
    return token;
  }

  /** Takes a token of a kind; `after` is what may stand behind it. */
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

  /** Before a choice: one of the expected tokens must come, or come after one too many. */
  sync(expected: ReadonlySet<string>, state: string): void {
    if (this.#isRecovering || expected.has(this.kind()) || this.#skipExtraneous(expected)) return;
    throw this.#mismatch(expected, state);
  }

  /** After a turn of a loop: what cannot follow is skipped. */
  syncLoop(expected: ReadonlySet<string>): void {
    if (this.#isRecovering || expected.has(this.kind())) return;
    this.#reportExtraneous(expected);
    this.#skipTo(expected);
  }

  /** None of the choices goes on with the token that is `ahead`; those before it would have begun one. */
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

  /** Whether the token may stand behind a place: where rules may end there, in what called them too. */
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
  /** `last`: the position that may be reached at most. */
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

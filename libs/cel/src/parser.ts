import { qualifiedName, type Expr, type ListElement, type MapEntry, type StructField } from './ast.ts';
import { CompileError, type Issue } from './issues.ts';
import { tokenize, unquote, type Token } from './lexer.ts';
import { expandBinding, expandMacro, MacroError } from './macros.ts';
import * as types from './types.ts';
import { Uint, type Value } from './values.ts';

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const constants: ReadonlySet<string> = new Set(['true', 'false', 'null']);
const relations: ReadonlySet<string> = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
/** What may begin an expression, as messages list it; `more` are further tokens that may stand there. */
function expressionStart(...more: string[]): string {
  const order = ["'['", "']'", "'{'", "'}'", "'('", "')'", "'.'", "','", "'-'", "'!'", "'?'"];
  const always = ["'['", "'{'", "'('", "'.'", "'-'", "'!'"];
  const tokens = order.filter((token) => always.includes(token) || more.includes(token));
  return `{${tokens.join(', ')}, 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`;
}
const literals: ReadonlySet<Token['kind']> = new Set<Token['kind']>(['int', 'uint', 'double', 'string', 'bytes']);
const binary: ReadonlySet<string> = new Set([...relations, '+', '*', '/', '%', '&&', '||']);
const openers: ReadonlySet<string> = new Set(['[', '{', '(', '.', '-', '!']);
const beginsExpression = ({ kind, text }: Token): boolean =>
  literals.has(kind) || (kind === 'ident' && text !== 'in') || (kind === 'op' && openers.has(text));
const maxDepth = 250;

class SyntaxIssue extends Error {
  readonly issue: Issue;
  constructor(issue: Issue) {
    super(issue.message);
    this.issue = issue;
  }
}

/**
 * Parses an expression, macros expanded; with `bindings`, cel.bind is one. Throws CompileError.
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
export function parse(source: string, { bindings = false }: { bindings?: boolean } = {}): Expr {
  const { tokens, issues } = tokenize(source);
  const parser = new Parser(source, tokens, bindings);
  try {
    const expr = parser.whole();
    issues.push(...parser.issues);
    if (issues.length === 0) return expr;
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    issues.push(...parser.issues, error.issue);
  }
  throw new CompileError(source, issues);
}

class Parser {
  readonly issues: Issue[] = [];
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;
  /** Brackets that are not closed yet. */
  #open = 0;

  readonly #bindings: boolean;

  constructor(source: string, tokens: readonly Token[], bindings: boolean) {
    this.#source = source;
    this.#tokens = tokens;
    this.#bindings = bindings;
  }

  whole(): Expr {
    const expr = this.#expression();
    const next = this.#peek();
    if (next.kind !== 'end')
      throw this.#unexpected(next, `${this.#peek(1).kind === 'end' ? 'extraneous' : 'mismatched'} input`, '<EOF>');
    return expr;
  }

  #expression(): Expr {
    if (++this.#depth > maxDepth) throw this.#fail(this.#peek().at, `expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.#or();
    const question = this.#peek();
    this.#depth--;
    if (!this.#accept('?')) return condition;
    const yes = this.#or();
    this.#expect(':', beginsExpression);
    const no = this.#expression();
    return call('_?_:_', [condition, yes, no], question.at);
  }
  #or(): Expr {
    return this.#leftAssociative(['||'], () => this.#and());
  }
  #and(): Expr {
    return this.#leftAssociative(['&&'], () => this.#relation());
  }
  #relation(): Expr {
    let left = this.#sum();
    for (;;) {
      const op = this.#peek();
      if (!relations.has(op.text) || (op.kind !== 'op' && op.text !== 'in')) return left;
      this.#position++;
      left = call(op.text === 'in' ? '@in' : `_${op.text}_`, [left, this.#sum()], op.at);
    }
  }
  #sum(): Expr {
    return this.#leftAssociative(['+', '-'], () => this.#leftAssociative(['*', '/', '%'], () => this.#unary()));
  }
  #leftAssociative(operators: readonly string[], operand: () => Expr): Expr {
    let left = operand();
    for (;;) {
      const op = this.#peek();
      if (op.kind !== 'op' || !operators.includes(op.text)) return left;
      this.#position++;
      left = call(`_${op.text}_`, [left, operand()], op.at);
    }
  }

  #unary(): Expr {
    const first = this.#peek();
    if (first.kind !== 'op' || (first.text !== '!' && first.text !== '-')) return this.#member(this.#primary());
    let count = 0;
    while (this.#peek().text === first.text && this.#peek().kind === 'op') {
      this.#position++;
      count++;
    }
    const next = this.#peek();
    if (first.text === '-' && (next.kind === 'int' || next.kind === 'double')) {
      this.#position++;
      const literal = this.#member(this.#number(next, true, first.at + count - 1));
      return (count - 1) % 2 === 1 ? call('-_', [literal], first.at) : literal;
    }
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : call(`${first.text}_`, [operand], first.at);
  }

  #member(primary: Expr): Expr {
    let expr = primary;
    for (;;) {
      const op = this.#peek();
      if (this.#accept('.')) {
        const optional = this.#accept('?');
        expr = this.#selection(expr, op, optional);
      } else if (this.#accept('[')) {
        this.#open++;
        const optional = this.#accept('?');
        this.#begin(...(optional ? [] : ["'?'"]));
        const index = this.#expression();
        this.#close(']');
        expr = call(optional ? '_[?_]' : '_[_]', [expr, index], op.at);
      } else {
        const name = op.kind === 'op' && op.text === '{' && expr.kind === 'select' ? qualifiedName(expr) : undefined;
        if (name === undefined) return expr;
        this.#position++;
        expr = { kind: 'struct', name, fields: this.#fields(), at: op.at };
      }
    }
  }

  #selection(operand: Expr, dot: Token, optional: boolean): Expr {
    const name = this.#peek();
    if (name.kind === 'escaped') throw this.#fail(name.at, "unsupported syntax: '`'");
    this.#expectName(dot);
    this.#position++;
    if (optional) {
      const text: Expr = { kind: 'const', value: name.text, type: types.string, at: name.at };
      return call('_?._', [operand, text], dot.at);
    }
    const open = this.#peek();
    if (!this.#accept('(')) return { kind: 'select', operand, field: name.text, testOnly: false, at: dot.at };
    return this.#macroOrCall(name.text, operand, this.#arguments(')'), open.at);
  }

  #macroOrCall(fn: string, target: Expr | undefined, args: Expr[], at: number): Expr {
    try {
      const expanded =
        expandMacro(fn, target, args, at) ?? (this.#bindings ? expandBinding(fn, target, args, at) : undefined);
      if (expanded !== undefined) return expanded;
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.issues.push({ at: error.at, message: error.message });
    }
    return { kind: 'call', fn, ...(target === undefined ? {} : { target }), args, at };
  }

  #arguments(close: string): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(close)) return args;
    this.#open++;
    this.#begin(`'${close}'`);
    if (this.#accept(close)) {
      this.#open--;
      return args;
    }
    do args.push(this.#expression());
    while (this.#accept(','));
    this.#close(close);
    return args;
  }

  #primary(): Expr {
    const token = this.#peek();
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'double':
        this.#position++;
        return this.#number(token, false, token.at);
      case 'string':
      case 'bytes':
        this.#position++;
        return this.#quoted(token);
      case 'ident':
        if (token.text !== 'in') return this.#name(token);
        break;
      case 'op':
        if (this.#accept('(')) {
          this.#open++;
          const inner = this.#expression();
          this.#close(')');
          return inner;
        }
        if (this.#accept('[')) return { kind: 'list', elements: this.#elements(), at: token.at };
        if (this.#accept('{')) return { kind: 'map', entries: this.#entries(), at: token.at };
        if (this.#accept('.')) {
          this.#expectName(token);
          return this.#name(this.#peek(), token);
        }
    }
    this.#begin();
    return this.#primary();
  }

  /** A token that stands before an expression is skipped, with an issue. Throws when there is no expression. */
  #begin(...more: string[]): void {
    const token = this.#peek();
    if (beginsExpression(token) || more.includes(`'${token.text}'`)) return;
    const expecting = expressionStart(...more);
    const next = this.#peek(1);
    const isExtraneous = beginsExpression(next) || more.includes(`'${next.text}'`);
    const problem = this.#unexpected(token, isExtraneous ? 'extraneous input' : 'mismatched input', expecting);
    if (token.kind === 'end' || (!isExtraneous && !binary.has(token.text))) throw problem;
    this.issues.push(problem.issue);
    this.#position++;
    // An operator is taken for the one between two operands of which the left is missing.
    if (!isExtraneous) this.#begin();
  }

  /** After a dot a name must come; what else is there is shown together with the dot, as it is written. */
  #expectName(dot: Token): void {
    const name = this.#peek();
    if (name.kind === 'ident' && constants.has(name.text))
      throw this.#unexpected(name, 'mismatched input', 'IDENTIFIER');
    if (name.kind === 'ident' && name.text !== 'in') return;
    const end = name.kind === 'end' ? name.at : name.at + [...name.text].length;
    const written = [...this.#source].slice(dot.at, end).join('');
    throw this.#fail(name.at, `Syntax error: no viable alternative at input '${written}'`);
  }

  /** A name, or a call or message that begins with one; `dot` stands before a name that is meant outside of every container. */
  #name(token: Token, dot?: Token): Expr {
    this.#position++;
    const { text, at } = token;
    const rooted = dot === undefined ? {} : { rooted: true };
    if (text === 'true' || text === 'false') return { kind: 'const', value: text === 'true', type: types.bool, at };
    if (text === 'null') return { kind: 'const', value: null, type: types.nullType, at };
    if (reserved.has(text)) this.issues.push({ at: dot?.at ?? at, message: `reserved identifier: ${text}` });
    const open = this.#peek();
    if (this.#accept('(')) {
      const made = this.#macroOrCall(text, undefined, this.#arguments(')'), open.at);
      return made.kind === 'call' ? { ...made, ...rooted } : made;
    }
    if (open.text === '{' && open.kind === 'op') {
      this.#position++;
      return { kind: 'struct', name: text, fields: this.#fields(), at: open.at, ...rooted };
    }
    return { kind: 'ident', name: text, at, ...rooted };
  }

  #fields(): StructField[] {
    const fields: StructField[] = [];
    while (this.#peek().text !== '}' && this.#peek().kind !== 'end') {
      const optional = this.#accept('?');
      const name = this.#peek();
      this.#position++;
      this.#expect(':');
      fields.push({ name: name.text, value: this.#expression(), optional, at: name.at });
      if (!this.#accept(',')) break;
    }
    this.#expect('}');
    return fields;
  }

  #elements(): ListElement[] {
    const elements: ListElement[] = [];
    this.#open++;
    if (this.#peek().text !== ']') this.#begin("'?'", "','", "']'");
    while (!this.#accept(']')) {
      if (elements.length > 0 && !this.#mayBegin('?')) return this.#closed(elements, ']');
      const optional = this.#accept('?');
      elements.push({ value: this.#expression(), optional });
      if (!this.#accept(',')) return this.#closed(elements, ']', "{']', ','}");
    }
    this.#open--;
    return elements;
  }
  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    this.#open++;
    if (this.#peek().text !== '}') this.#begin("'?'", "','", "'}'");
    while (!this.#accept('}')) {
      if (entries.length > 0 && !this.#mayBegin('?')) return this.#closed(entries, '}');
      const optional = this.#accept('?');
      const key = this.#expression();
      this.#expect(':', beginsExpression);
      entries.push({ key, value: this.#expression(), optional });
      if (!this.#accept(',')) return this.#closed(entries, '}', "{'}', ','}");
    }
    this.#open--;
    return entries;
  }

  #number(token: Token, negative: boolean, at: number): Expr {
    const sign = negative ? -1 : 1;
    if (token.kind === 'double') {
      const value = sign * Number(token.text);
      if (!Number.isFinite(value)) this.issues.push({ at, message: 'invalid double literal' });
      return { kind: 'const', value, type: types.double, at };
    }
    const amount = BigInt(token.text.replace(/[uU]$/, '')) * BigInt(sign);
    if (token.kind === 'uint') {
      if (BigInt.asUintN(64, amount) !== amount) this.issues.push({ at, message: 'invalid uint literal' });
      return { kind: 'const', value: new Uint(amount), type: types.uint, at };
    }
    if (BigInt.asIntN(64, amount) !== amount) this.issues.push({ at, message: 'invalid int literal' });
    return { kind: 'const', value: amount, type: types.int, at };
  }

  #quoted(token: Token): Expr {
    const type = token.kind === 'bytes' ? types.bytes : types.string;
    let value: Value = '';
    try {
      value = unquote(token.text);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.issues.push({ at: token.at, message: error.message });
    }
    return { kind: 'const', value, type, at: token.at };
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#position + ahead] ?? { kind: 'end', text: '<EOF>', at: 0 };
  }
  #accept(text: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'op' || token.text !== text) return false;
    this.#position++;
    return true;
  }
  #mayBegin(also: string): boolean {
    const token = this.#peek();
    return beginsExpression(token) || (token.kind === 'op' && token.text === also);
  }
  /** Takes a token. One too many before it is skipped and a missing one made up, with an issue; else it throws. */
  #expect(text: string, follows: (token: Token) => boolean = () => false, expecting = `'${text}'`): void {
    const token = this.#peek();
    if (this.#accept(text)) return;
    const next = this.#peek(1);
    if (next.kind === 'op' && next.text === text) {
      this.issues.push(this.#unexpected(token, 'extraneous input', expecting).issue);
      this.#position += 2;
    } else if (follows(token)) {
      this.issues.push({ at: token.at, message: `Syntax error: missing '${text}' at '${token.text}'` });
    } else throw this.#unexpected(token, 'mismatched input', expecting);
  }
  #close(text: string): void {
    this.#open--;
    this.#expect(text, ({ kind }) => kind === 'end' && this.#open === 0);
  }
  /** Closes what holds members; where another could come, the end is not taken for a bracket that is missing. */
  #closed<T>(members: T, text: string, expecting?: string): T {
    if (expecting === undefined) this.#close(text);
    else {
      this.#open--;
      this.#expect(text, undefined, expecting);
    }
    return members;
  }
  #unexpected(token: Token, what: string, expecting: string): SyntaxIssue {
    return this.#fail(token.at, `Syntax error: ${what} '${token.text}' expecting ${expecting}`);
  }
  #fail(at: number, message: string): SyntaxIssue {
    return new SyntaxIssue({ at, message });
  }
}

const call = (fn: string, args: readonly Expr[], at: number): Expr => ({ kind: 'call', fn, args, at });

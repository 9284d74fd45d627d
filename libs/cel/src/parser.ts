import { type CallExpr, type Expr, type ListElement, type MapEntry, type StructField } from './ast.ts';
import { after, factors, first, numbers, relations, sums } from './grammar-sets.ts';
import { CompileError, nowhere, type Issue } from './issues.ts';
import { tokenize, type Token } from './lexer.ts';
import { numberLiteral, quotedLiteral } from './literals.ts';
import { expandBinding, expandMacro, MacroError } from './macros.ts';
import { follow, GivenUp, TokenReader, type Follow } from './token-reader.ts';
import * as types from './types.ts';

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const maxDepth = 250;
/** In code points, as in cel-go. */
const longestSource = 100_000;

/**
 * Parses an expression and expands its macros; with `bindings` these include cel.bind. Throws CompileError.
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
export function parse(source: string, { bindings = false }: { bindings?: boolean } = {}): Expr {
  checkLength(source);
  const { tokens, issues } = tokenize(source);
  const reader = new TokenReader(source, tokens);
  const parser = new Parser(reader, bindings);
  const expr = parser.whole();
  issues.push(...reader.issues, ...parser.issues);
  if (issues.length === 0) return expr;
  throw new CompileError(source, issues);
}

function checkLength(source: string): void {
  const size = source.length > longestSource ? [...source].length : 0;
  if (size <= longestSource) return;
  const message = `expression code point size exceeds limit: size: ${size}, limit ${longestSource}`;
  throw new CompileError(source, [{ at: nowhere, message }]);
}

/**
 * The rules of the grammar, one per method. Every method returns what it has read even after a syntax error, so that names and macros in it
 * are checked too. https://github.com/google/cel-go/blob/master/parser/gen/CEL.g4
 */
class Parser {
  readonly issues: Issue[] = [];
  readonly #reader: TokenReader;
  readonly #bindings: boolean;
  #depth = 0;

  constructor(reader: TokenReader, bindings: boolean) {
    this.#reader = reader;
    this.#bindings = bindings;
  }

  whole(): Expr {
    let expr = this.#missing();
    try {
      this.#reader.rule(after.end, () => {
        expr = this.#expression(after.expression);
        this.#reader.match('<EOF>', 'whole', after.end);
      });
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
    }
    return expr;
  }

  #expression(follows: Follow): Expr {
    if (++this.#depth > maxDepth) this.#giveUp(`expression recursion limit exceeded: ${maxDepth}`);
    let expr = this.#missing();
    this.#reader.rule(follows, () => {
      expr = this.#or(after.condition);
      const question = this.#reader.peek();
      if (this.#reader.kind() !== "'?'") return;
      this.#reader.take();
      const chosen = [expr, this.#or(after.chosen)];
      expr = call('_?_:_', [...chosen, this.#missing()], question.at);
      this.#reader.match("':'", 'conditional', after.colon);
      expr = call('_?_:_', [...chosen, this.#expression(after.end)], question.at);
    });
    this.#depth--;
    return expr;
  }
  #or(follows: Follow): Expr {
    return this.#joined("'||'", follows, () => this.#and());
  }
  #and(): Expr {
    return this.#joined("'&&'", after.or, () => this.#relation(after.and));
  }
  #joined(operator: string, follows: Follow, operand: () => Expr): Expr {
    let left = this.#missing();
    this.#reader.rule(follows, () => {
      left = operand();
      while (this.#reader.kind() === operator) {
        const { text, at } = this.#reader.take();
        left = call(`_${text}_`, [left, operand()], at);
      }
    });
    return left;
  }

  #relation(follows: Follow, isOperand = false): Expr {
    let left = this.#missing();
    this.#reader.rule(follows, () => {
      left = this.#calculation(after.relation, 0);
      while (!isOperand && relations.has(this.#reader.kind())) {
        const { text, at } = this.#reader.take();
        left = call(text === 'in' ? '@in' : `_${text}_`, [left, this.#relation(after.relation, true)], at);
      }
    });
    return left;
  }
  /** `precedence`: 0 reads all operators, 2 only factors, 3 none. */
  #calculation(follows: Follow, precedence: number): Expr {
    let left = this.#missing();
    this.#reader.rule(follows, () => {
      left = this.#unary();
      for (;;) {
        const kind = this.#reader.kind();
        const binds = factors.includes(kind) ? 2 : sums.includes(kind) ? 1 : -1;
        if (binds < precedence || binds < 0) return;
        const { text, at } = this.#reader.take();
        left = call(`_${text}_`, [left, this.#calculation(after.calculation, binds + 1)], at);
      }
    });
    return left;
  }

  #unary(): Expr {
    let expr = this.#missing();
    this.#reader.rule(after.calculation, () => {
      this.#reader.sync(first.expr, 'unary');
      const sign = this.#reader.peek();
      const kind = this.#reader.kind();
      if (kind === "'!'" || (kind === "'-'" && !numbers.includes(this.#reader.kind(1)))) {
        if (kind === "'-'" && !first.member.has(this.#reader.kind(1))) throw this.#reader.noViable(1, 'unary');
        const operand = kind === "'!'" ? first.expr : first.member;
        let count = 0;
        do {
          this.#reader.take();
          count++;
          this.#reader.syncLoop(operand);
          if (kind === "'-'" && this.#reader.kind() === kind && !first.member.has(this.#reader.kind(1)))
            throw this.#reader.noViable(1, 'negation');
        } while (this.#reader.kind() === kind);
        expr = this.#member();
        if (count % 2 === 1) expr = call(`${sign.text}_`, [expr], sign.at);
      } else if (first.member.has(kind)) expr = this.#member();
      else throw this.#reader.noViable(0, 'unary');
    });
    return expr;
  }

  #member(): Expr {
    let expr = this.#missing();
    this.#reader.rule(after.end, () => {
      expr = this.#primary();
      for (;;) {
        const op = this.#reader.peek();
        if (this.#reader.kind() === "'['") {
          this.#reader.take();
          this.#reader.sync(first.optionalExpr, 'index');
          const fn = this.#optional() ? '_[?_]' : '_[_]';
          expr = call(fn, [expr, this.#expression(after.index)], op.at);
          this.#reader.match("']'", 'index end', after.member);
        } else if (this.#reader.kind() !== "'.'") return;
        else if (this.#reader.kind(1) === 'IDENTIFIER' && this.#reader.kind(2) === "'('") {
          this.#reader.take();
          const { text } = this.#reader.take();
          const target = expr;
          this.#call(after.member, (args, at) => (expr = this.#macroOrCall(text, target, args, at)));
        } else if (first.field.has(this.#reader.kind(1))) {
          this.#reader.take();
          expr = this.#selection(expr, op);
        } else throw this.#reader.noViable(1, 'member');
      }
    });
    return expr;
  }
  #selection(operand: Expr, dot: Token): Expr {
    const optional = this.#optional();
    const { at } = this.#reader.peek();
    const field = this.#fieldName(after.member);
    if (!optional) return { kind: 'select', operand, field, testOnly: false, at: dot.at };
    const text: Expr = { kind: 'const', value: field, type: types.string, at };
    return call('_?._', [operand, text], dot.at);
  }
  #fieldName(follows: Follow): string {
    const { text, at, kind } = this.#reader.peek();
    let isName = false;
    this.#reader.rule(follows, () => {
      this.#reader.sync(first.fieldName, 'field name');
      isName = this.#reader.kind() === 'IDENTIFIER';
      if (!first.fieldName.has(this.#reader.kind())) throw this.#reader.noViable(0, 'field name');
      this.#reader.take();
    });
    if (!isName)
      this.issues.push({ at, message: kind === 'escaped' ? "unsupported syntax: '`'" : 'unsupported ident kind' });
    return text;
  }
  #optional(): boolean {
    const isOptional = this.#reader.kind() === "'?'";
    if (isOptional) this.#reader.take();
    return isOptional;
  }

  /** Reads arguments in parentheses. `made` is called even if the closing parenthesis is missing. */
  #call(behind: Follow, made: (args: Expr[], at: number) => void): void {
    const { at } = this.#reader.take();
    const args: Expr[] = [];
    try {
      this.#reader.sync(first.arguments, 'arguments');
      if (first.expr.has(this.#reader.kind()))
        this.#reader.rule(after.argument, () => {
          args.push(this.#expression(after.next));
          while (this.#reader.kind() === "','") {
            this.#reader.take();
            args.push(this.#expression(after.next));
          }
        });
    } finally {
      made(args, at);
    }
    this.#reader.match("')'", 'arguments end', behind);
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
    return { kind: 'call', fn, target, args, at };
  }

  #primary(): Expr {
    let expr = this.#missing();
    this.#reader.rule(after.member, () => {
      this.#reader.sync(first.member, 'primary');
      const token = this.#reader.peek();
      const [elements, entries]: [ListElement[], MapEntry[]] = [[], []];
      switch (this.#reader.kind()) {
        case "'('":
          this.#reader.take();
          expr = this.#expression(after.argument);
          this.#reader.match("')'", 'nested end', after.end);
          return;
        case "'['":
          expr = { kind: 'list', elements, at: token.at };
          this.#elements(elements);
          return;
        case "'{'":
          expr = { kind: 'map', entries, at: token.at };
          this.#entries(entries);
          return;
        case "'.'":
          if (this.#reader.kind(1) !== 'IDENTIFIER') throw this.#reader.noViable(1, 'primary');
          this.#reader.take();
          this.#name(token, (read) => (expr = read));
          return;
        case 'IDENTIFIER':
          this.#name(undefined, (read) => (expr = read));
          return;
        default:
          if (!first.member.has(this.#reader.kind())) throw this.#reader.noViable(0, 'primary');
          this.#reader.rule(after.end, () => (expr = this.#literal()));
      }
    });
    return expr;
  }

  #literal(): Expr {
    const sign = this.#reader.peek();
    if (this.#reader.kind() === "'-'") {
      if (!numbers.includes(this.#reader.kind(1))) throw this.#reader.noViable(1, 'literal');
      this.#reader.take();
      return numberLiteral(this.#reader.take(), true, sign.at, this.issues);
    }
    const token = this.#reader.take();
    if (token.kind === 'string' || token.kind === 'bytes') return quotedLiteral(token, this.issues);
    if (token.kind !== 'ident') return numberLiteral(token, false, token.at, this.issues);
    const { text, at } = token;
    if (text === 'null') return { kind: 'const', value: null, type: types.nullType, at };
    return { kind: 'const', value: text === 'true', type: types.bool, at };
  }

  /** Reads a name, or a call or message that begins with a name. `dot` precedes a name that is resolved outside of every container. */
  #name(dot: Token | undefined, read: (expr: Expr) => void): void {
    const length = this.#messageName();
    const { text, at } = this.#reader.take();
    const rooted = dot === undefined ? {} : { rooted: true };
    if (length > 0) {
      let name = text;
      for (let k = 1; k < length; k += 2) {
        this.#reader.take();
        name += `.${this.#reader.take().text}`;
      }
      const open = this.#reader.take();
      const fields: StructField[] = [];
      read({ kind: 'struct', name, fields, at: open.at, ...rooted });
      this.#members("'}'", first.fields, first.field, () => this.#fields(fields));
      return;
    }
    if (reserved.has(text)) this.issues.push({ at: dot?.at ?? at, message: `reserved identifier: ${text}` });
    if (this.#reader.kind() === "'('")
      this.#call(after.end, (args, open) => {
        const made = this.#macroOrCall(text, undefined, args, open);
        read(made.kind === 'call' ? { ...made, ...rooted } : made);
      });
    else read({ kind: 'ident', name: text, at, ...rooted });
  }
  /** The number of tokens of the message name that begins here; 0 if there is none. */
  #messageName(): number {
    let length = 1;
    while (this.#reader.kind(length) === "'.'" && this.#reader.kind(length + 1) === 'IDENTIFIER') length += 2;
    return this.#reader.kind(length) === "'{'" ? length : 0;
  }

  /** Reads members and the closing bracket. A trailing comma is allowed. */
  #members(close: string, begins: ReadonlySet<string>, member: ReadonlySet<string>, read: () => void): void {
    this.#reader.sync(begins, `members ${close}`);
    if (member.has(this.#reader.kind())) this.#reader.rule(follow(["','", close]), read);
    this.#reader.sync(new Set(["','", close]), `comma ${close}`);
    if (this.#reader.kind() === "','") this.#reader.take();
    this.#reader.match(close, `end ${close}`, after.end);
  }
  /** Reads members while a comma is followed by the beginning of another member. */
  #separated(member: ReadonlySet<string>, read: () => void): void {
    read();
    while (this.#reader.kind() === "','" && member.has(this.#reader.kind(1))) {
      this.#reader.take();
      read();
    }
  }
  #fields(fields: StructField[]): void {
    this.#separated(first.field, () => {
      const name = this.#reader.peek();
      let [optional, field] = [false, ''];
      this.#reader.rule(after.key, () => {
        this.#reader.sync(first.field, 'field');
        optional = this.#optional();
        field = this.#fieldName(after.end);
      });
      this.#reader.match("':'", 'field colon', after.colon);
      fields.push({ name: field, value: this.#expression(after.next), optional, at: name.at });
    });
  }
  #elements(elements: ListElement[]): void {
    this.#reader.take();
    this.#members("']'", first.elements, first.optionalExpr, () => {
      this.#separated(first.optionalExpr, () => elements.push(this.#optionalExpr(after.next)));
    });
  }
  #entries(entries: MapEntry[]): void {
    this.#reader.take();
    this.#members("'}'", first.entries, first.optionalExpr, () => {
      this.#separated(first.optionalExpr, () => {
        const { value: key, optional } = this.#optionalExpr(after.key);
        this.#reader.match("':'", 'entry colon', after.colon);
        entries.push({ key, value: this.#expression(after.next), optional });
      });
    });
  }
  #optionalExpr(follows: Follow): ListElement {
    let [value, optional] = [this.#missing(), false];
    this.#reader.rule(follows, () => {
      this.#reader.sync(first.optionalExpr, 'optional');
      optional = this.#optional();
      value = this.#expression(after.end);
    });
    return { value, optional };
  }

  /** A placeholder for a missing expression. */
  #missing(): Expr {
    return { kind: 'const', value: null, type: types.nullType, at: this.#reader.peek().at };
  }
  #giveUp(message: string): never {
    this.issues.push({ at: this.#reader.peek().at, message });
    throw new GivenUp(message);
  }
}

const call = (fn: string, args: readonly Expr[], at: number): CallExpr => ({ kind: 'call', fn, args, at });

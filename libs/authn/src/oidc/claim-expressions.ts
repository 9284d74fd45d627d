import {
  authenticationResults,
  claimsEnvironment,
  claimsValue,
  compileExpression,
  ListValue,
  userEnvironment,
  type ExpressionEnvironment,
  type Program,
  type Value,
} from '@apichain/cel';
import type { UserInfo } from '../authenticator.ts';
import type { Claims } from '../claims.ts';

/** A CEL expression about a token or a user. */
class Expression {
  readonly source: string;
  readonly #program: Program;

  /** Throws Error when the expression does not compile. */
  constructor(source: string, environment: ExpressionEnvironment) {
    const compiled = compileExpression(source, environment, authenticationResults.mapping);
    if ('error' in compiled) throw new Error(compiled.error);
    this.source = source;
    this.#program = compiled.program;
  }

  /** Throws Error when the evaluation fails. */
  evaluate(variable: string, value: unknown): Value {
    const { value: result, error } = this.#program(new Map([[variable, claimsValue(value)]]), Infinity);
    if (error !== undefined || result === undefined)
      throw new Error(`expression '${this.source}' resulted in error: ${error?.message ?? ''}`);
    return result;
  }
}

/** An expression that computes a value from the claims of a token. */
export class ClaimExpression {
  readonly #expression: Expression;

  constructor(source: string) {
    this.#expression = new Expression(source, claimsEnvironment);
  }

  evaluate(claims: Claims): Value {
    return this.#expression.evaluate('claims', claims);
  }
}

interface Rule {
  readonly expression: string;
  readonly message: string;
}

/** Rules that must hold for a token's claims or for its user. */
class Rules {
  readonly #variable: 'claims' | 'user';
  readonly #rules: readonly { readonly expression: Expression; readonly message: string }[];

  constructor(variable: 'claims' | 'user', rules: readonly Rule[]) {
    const environment = variable === 'claims' ? claimsEnvironment : userEnvironment;
    this.#variable = variable;
    this.#rules = rules.map(({ expression, message }) => ({
      expression: new Expression(expression, environment),
      message,
    }));
  }

  /** Throws Error. An evaluation error takes precedence over a rule that is false. */
  check(value: unknown): void {
    const results = this.#rules.map((rule) => ({ ...rule, result: rule.expression.evaluate(this.#variable, value) }));
    for (const { expression, message, result } of results) {
      if (typeof result !== 'boolean') throw new Error('validation expression must return a boolean');
      if (!result) throw new Error(`validation expression '${expression.source}' failed: ${message}`);
    }
  }
}

export class ClaimRules extends Rules {
  constructor(rules: readonly Rule[]) {
    super('claims', rules);
  }
}

export class UserRules extends Rules {
  constructor(rules: readonly Rule[]) {
    super('user', rules);
  }

  checkUser({ name, uid, groups, extra }: UserInfo): void {
    this.check({ username: name, uid, groups, extra });
  }
}

/** A text, or the texts of a list, without the empty ones. Throws Error for other values. */
export function textsOf(value: Value): string[] {
  const items = typeof value === 'string' ? [value] : value instanceof ListValue ? [...value] : [];
  const isNothing = value === null;
  if (!isNothing && typeof value !== 'string' && !(value instanceof ListValue)) throw notTexts();
  return items.flatMap((item) => {
    if (typeof item !== 'string') throw notTexts();
    return item === '' ? [] : [item];
  });
}

const notTexts = () => new Error('expression must return a string or a list of strings');

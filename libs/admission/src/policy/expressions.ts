import type { Variable } from '@apichain/api/admissionregistration/v1';
import {
  admissionEnvironment,
  admissionResults,
  compileExpression,
  composedVariables,
  ComposedVariables,
  CostLimitError,
  type CelType,
  type CompiledExpression,
  type ExpressionEnvironment,
  type Value,
} from '@apichain/cel';
import { perCallLimit } from '../cel/match-conditions.ts';

/** The cost limit for all expressions of one policy together. */
const policyBudget = 10_000_000;
export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** An expression of a policy, and the result of compiling it. */
export interface PolicyExpression {
  readonly source: string;
  readonly compiled: CompiledExpression;
}
interface CompiledVariable extends PolicyExpression {
  readonly name: string;
}

export type Values = ReadonlyMap<string, Value>;
export type Evaluated = { readonly value: Value } | { readonly error: string; readonly isFinal?: boolean };

/** The variables of a policy and the environment of its other expressions. */
export class PolicyScope {
  readonly environment: ExpressionEnvironment;
  /** Message expressions have no authorizer. */
  readonly messageEnvironment: ExpressionEnvironment;
  readonly #variables: readonly CompiledVariable[];

  constructor(variables: readonly Variable[], params: boolean, structs?: ExpressionEnvironment['structs']) {
    const composed = composedVariables();
    const environment = (authorizer: boolean): ExpressionEnvironment => ({
      ...admissionEnvironment({ params, authorizer, composed: composed.type }),
      structs,
    });
    this.#variables = variables.map((variable): CompiledVariable => {
      const source = variable.expression ?? '';
      const compiled = compileExpression(source, environment(true), admissionResults.variable);
      const name = variable.name ?? '';
      composed.add(name, 'error' in compiled ? { kind: 'dyn', name: 'dyn', params: [] } : compiled.type);
      return { name, source, compiled };
    });
    this.environment = environment(true);
    this.messageEnvironment = environment(false);
  }

  compile(source: string, accepts: (type: CelType) => string | undefined, message = false): PolicyExpression {
    const environment = message ? this.messageEnvironment : this.environment;
    return { source, compiled: compileExpression(source, environment, accepts) };
  }

  /** Starts one evaluation of a policy: the values of its variables, and the remaining budget. */
  start(values: Values): PolicyRun {
    return new PolicyRun(this.#variables, values);
  }
}

export class PolicyRun {
  #budget = policyBudget;
  readonly #values: Values;

  constructor(variables: readonly CompiledVariable[], values: Values) {
    const all = new Map(values);
    const evaluate = new Map(
      variables.map(({ name, compiled }) => [
        name,
        () => {
          if ('error' in compiled) return { cost: 0, error: new CompositionError(name, compiled.error) };
          const outcome = compiled.program(all, perCallLimit);
          this.#budget -= outcome.cost;
          return outcome;
        },
      ]),
    );
    all.set('variables', new ComposedVariables(evaluate));
    this.#values = all;
  }

  /** Throws only PendingAuthorization. */
  evaluate({ source, compiled }: PolicyExpression): Evaluated {
    if ('error' in compiled) return { error: `compilation error: ${compiled.error}` };
    const { value, error, cost } = compiled.program(this.#values, perCallLimit);
    this.#budget -= cost;
    if (this.#budget < 0) return { error: outOfBudget, isFinal: true };
    if (error instanceof CostLimitError)
      return {
        error: `expression '${source}' resulted in error: ${error.message}`,
      };
    if (error !== undefined) return { error: `expression '${source}' resulted in error: ${error.message}` };
    return { value: value ?? null };
  }
}

class CompositionError extends CostLimitError {
  constructor(name: string, reason: string) {
    super();
    this.message = `composited variable "${name}" fails to compile: ${reason}`;
  }
}

import {
  admissionEnvironment,
  admissionResults,
  compileExpression,
  mutationStructs,
  type CelType,
  type ExpressionEnvironment,
} from '@apichain/cel';
import { setOwn } from '@apichain/meta';
import { isSet, type Plain, records } from '../../fields.ts';
import { compileErrors } from '../common/expressions.ts';
import type { Out } from '../common/rules.ts';

const dynamic: CelType = { kind: 'dyn', name: 'dyn', params: [] };

/**
 * Whether the expressions of one policy compile. They see each variable that was checked before them; a policy without variables has no
 * `variables`. After pkg/apis/admissionregistration/validation.
 */
export class PolicyExpressions {
  readonly #hasParams: boolean;
  /** By name; undefined = the policy has none. */
  readonly #variables: Record<string, CelType> | undefined;

  constructor(spec: Plain) {
    this.#hasParams = isSet(spec.paramKind);
    this.#variables = records(spec.variables).length === 0 ? undefined : {};
  }

  /** Match conditions know no variables. */
  get matchConditions(): ExpressionEnvironment {
    return admissionEnvironment({ params: this.#hasParams, authorizer: true });
  }

  variable(out: Out, path: string, name: string, expression: string): void {
    const compiled = compileExpression(expression, this.#environment(true), admissionResults.variable);
    out.push(...compileErrors(path, expression, compiled));
    if (this.#variables !== undefined) setOwn(this.#variables, name, 'error' in compiled ? dynamic : compiled.type);
  }

  /** Messages know no authorizer; patches may build objects. */
  check(out: Out, path: string, expression: string, result: Exclude<keyof typeof admissionResults, 'variable'>): void {
    const environment = this.#environment(result !== 'message');
    const isPatch = result === 'jsonPatch' || result === 'applyConfiguration';
    const compiled = compileExpression(
      expression,
      isPatch ? { ...environment, structs: mutationStructs } : environment,
      admissionResults[result],
    );
    out.push(...compileErrors(path, expression, compiled));
  }

  #environment(authorizer: boolean): ExpressionEnvironment {
    return admissionEnvironment({
      params: this.#hasParams,
      authorizer,
      ...(this.#variables === undefined ? {} : { composed: { ...this.#variables } }),
    });
  }
}

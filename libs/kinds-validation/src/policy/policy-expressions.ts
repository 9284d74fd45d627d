import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicySpec,
} from '@apichain/api/admissionregistration/v1';
import {
  admissionEnvironment,
  admissionResults,
  composedVariables,
  mutationStructs,
  type CelType,
  type ExpressionEnvironment,
} from '@apichain/cel';
import { isSet } from '@apichain/kinds';
import { type CompiledExpressions, compileErrors } from '../common/compiled-expressions.ts';
import type { Out } from '../common/rules.ts';

const dynamic: CelType = { kind: 'dyn', name: 'dyn', params: [] };

/**
 * Checks that the expressions of one policy compile. They can use each variable that was checked before them; without variables,
 * `variables` is not defined. After pkg/apis/admissionregistration/validation.
 */
export class PolicyExpressions {
  readonly compiled: CompiledExpressions;
  readonly #hasParams: boolean;
  /** Undefined = the policy has no variables. */
  readonly #variables: ReturnType<typeof composedVariables> | undefined;

  constructor(
    spec: Pick<ValidatingAdmissionPolicySpec | MutatingAdmissionPolicySpec, 'paramKind' | 'variables'>,
    compiled: CompiledExpressions,
  ) {
    this.compiled = compiled;
    this.#hasParams = isSet(spec.paramKind);
    this.#variables = (spec.variables ?? []).length === 0 ? undefined : composedVariables();
  }

  /** Match conditions cannot use variables. */
  get matchConditions(): ExpressionEnvironment {
    return admissionEnvironment({ params: this.#hasParams, authorizer: true });
  }

  variable(out: Out, path: string, name: string, expression: string): void {
    const compiled = this.compiled.at(path, expression, this.#environment(true), admissionResults.variable);
    out.push(...compileErrors(path, expression, compiled));
    this.#variables?.add(name, 'error' in compiled ? dynamic : compiled.type);
  }

  /** Message expressions have no authorizer; patch expressions may construct objects. */
  check(out: Out, path: string, expression: string, result: Exclude<keyof typeof admissionResults, 'variable'>): void {
    const environment = this.#environment(result !== 'message');
    const isPatch = result === 'jsonPatch' || result === 'applyConfiguration';
    const compiled = this.compiled.at(
      path,
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
      ...(this.#variables === undefined ? {} : { composed: this.#variables.type }),
    });
  }
}

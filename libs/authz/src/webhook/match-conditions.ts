import {
  accessReviewEnvironment,
  admissionResults,
  compileExpression,
  dynamicValue,
  type Program,
  type Value,
} from '@apichain/cel';
import { field, type FieldError } from '@apichain/meta';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { selectorRequirements } from './review-spec.ts';

interface Condition {
  readonly expression: string;
}

const maxConditions = 64;
const compile = (expression: string) =>
  compileExpression(expression, accessReviewEnvironment, admissionResults.condition);

/** Validates the `matchConditions` of the webhook at a path. */
export function matchConditionErrors(path: string, conditions: readonly Condition[]): FieldError[] {
  const list = field.child(path, 'matchConditions');
  if (conditions.length > maxConditions) return [field.tooMany(list, conditions.length, maxConditions)];
  const seen = new Set<string>();
  return conditions.flatMap(({ expression }, i) => {
    const at = field.child(field.index(list, i), 'expression');
    if (expression.trim() === '') return [field.required(at)];
    if (seen.has(expression)) return [field.duplicate(at, expression)];
    seen.add(expression);
    const compiled = compile(expression);
    return 'error' in compiled ? [field.invalid(at, expression, compiled.error)] : [];
  });
}

/**
 * Selects the requests that a webhook decides on. The constructor throws Error when a condition does not compile.
 * After k8s.io/apiserver/pkg/authorization/cel.
 */
export class MatchConditions {
  readonly #conditions: readonly { readonly expression: string; readonly program: Program }[];

  constructor(conditions: readonly Condition[]) {
    this.#conditions = conditions.map(({ expression }) => {
      const compiled = compile(expression);
      if ('error' in compiled) throw new Error(compiled.error);
      return { expression, program: compiled.program };
    });
  }

  /** Throws Error when a condition cannot be evaluated and none is false. */
  match(asked: AuthorizationAttributes): boolean {
    const variables = new Map<string, Value>([['request', dynamicValue(requestOf(asked))]]);
    const errors: string[] = [];
    for (const { expression, program } of this.#conditions) {
      const { value, error } = program(variables, Infinity);
      if (error !== undefined)
        errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${error.message}`);
      else if (value === false) return false;
    }
    if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
    return true;
  }
}

/** The spec of the review in version v1, including its empty members. */
function requestOf(asked: AuthorizationAttributes): Record<string, unknown> {
  const { user, verb, path, apiGroup, apiVersion, resource, subresource, namespace, name } = asked;
  const { uid, groups, extra } = user;
  const who = { user: user.name, uid, groups, extra };
  if (!asked.isResourceRequest) return { ...who, nonResourceAttributes: { path, verb } };
  const attributes = { namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name };
  return { ...who, resourceAttributes: { ...attributes, ...selectorRequirements(asked) } };
}

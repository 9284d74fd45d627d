import type { FieldError } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import type { JsonSchemaProps } from './json-schema-props.ts';

/**
 * The interface to CEL (x-kubernetes-validations). Without an evaluator, rules are accepted and not enforced.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export interface RuleEvaluator {
  /**
   * Compiles every rule of a structural CRD schema. Returns errors of expressions, of estimated costs, and of oldSelf where it cannot be
   * correlated. `old` is the stored schema, whose expressions are trusted. Schemas at the paths in `refused` have an invalid keyword and
   * are skipped.
   */
  check(
    schema: JsonSchemaProps,
    path: string,
    old: JsonSchemaProps | undefined,
    refused?: ReadonlySet<string>,
  ): FieldError[];
  /** Evaluates the rules of a default's own schema, for the default as an update of itself and as a new value. */
  evaluateDefault(type: Type, value: unknown, path: string): FieldError[];
  /** The rules of a type, for its objects. Each rule is compiled once, when a value first needs it. Undefined if the type has no rules. */
  compile(type: Type): CompiledRules | undefined;
}

/** The compiled x-kubernetes-validations of a type. */
export interface CompiledRules {
  /**
   * The errors of the rules that an object violates. `old` is undefined on create. `forgiven` is called for violations that the old object has
   * too, which are allowed. Other requests run between expensive rules, and between many of them.
   */
  evaluate(object: unknown, old: unknown, path: string, forgiven?: (error: FieldError) => void): Promise<FieldError[]>;
}

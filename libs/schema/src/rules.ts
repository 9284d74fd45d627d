import type { FieldError, Work } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import type { JsonSchemaProps } from './json-schema-props.ts';

/**
 * The seam to CEL (x-kubernetes-validations). Without an evaluator rules are accepted and not enforced.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export interface RuleEvaluator {
  /**
   * Compiles every rule of a structural CRD schema: expression errors, cost estimates, oldSelf where it cannot be correlated. `old` is
   * the schema it replaces, whose expressions are trusted; parts at one of the paths `refused`, in which a keyword is wrong, are passed over.
   * In steps.
   */
  checking(
    schema: JsonSchemaProps,
    path: string,
    old: JsonSchemaProps | undefined,
    refused?: ReadonlySet<string>,
  ): Work<FieldError[]>;
  /** The rules of a default's own schema, both as an update of itself and as a new value. In steps. */
  evaluatingDefault(type: Type, value: unknown, path: string): Work<FieldError[]>;
  /** The rules of a type, for its objects, each compiled once, when a value first has to do with it; undefined when it has none. */
  compile(type: Type): CompiledRules | undefined;
}

/** The compiled x-kubernetes-validations of a type. */
export interface CompiledRules {
  /** The rules that an object breaks, in steps. `old` is undefined on create; `forgiven` hears of what it broke already and may go on to. */
  evaluating(object: unknown, old: unknown, path: string, forgiven?: (error: FieldError) => void): Work<FieldError[]>;
}

import type { RuleEvaluator } from '@apichain/schema';
import { checkingSchemaRules } from './check-schema.ts';
import { Ratchet } from './correlation.ts';
import { RuleRun, ruleNode } from './node.ts';

/**
 * Evaluates x-kubernetes-validations. Expressions are compiled once per type, when a value first needs them. The cost of an evaluation is
 * limited as in Kubernetes.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export const celRules: RuleEvaluator = {
  checking: checkingSchemaRules,
  *evaluatingDefault(type, value, path) {
    const node = ruleNode(type, type.embeddedResource === true);
    if (node === undefined) return [];
    for (const old of [value, undefined]) {
      const run = new RuleRun();
      yield* run.validate(node, value, old, path, new Ratchet(undefined));
      if (run.errors.length > 0) return run.errors;
    }
    return [];
  },
  compile(type) {
    const node = ruleNode(type, true);
    if (node === undefined) return undefined;
    return {
      *evaluating(object, old, path, forgiven) {
        const run = new RuleRun(forgiven);
        yield* run.validate(
          node,
          object,
          old,
          path,
          new Ratchet(old === undefined ? undefined : { value: object, old, type: node.type }, undefined, true),
        );
        return run.errors;
      },
    };
  },
};

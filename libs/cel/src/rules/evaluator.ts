import { inSlices } from '@apichain/meta';
import type { RuleEvaluator } from '@apichain/schema';
import { checkSchemaRules } from './check-schema.ts';
import { Ratchet } from './correlation.ts';
import { ruleNode } from './node.ts';
import { RuleRun } from './run.ts';

/**
 * Evaluates x-kubernetes-validations. Expressions are compiled once per type, when a value first needs them. The cost of an evaluation is
 * limited as in Kubernetes.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export const celRules: RuleEvaluator = {
  check: checkSchemaRules,
  evaluateDefault(type, value, path) {
    const node = ruleNode(type, type.embeddedResource === true);
    if (node === undefined) return [];
    for (const old of [value, undefined]) {
      const run = new RuleRun({ node, value, old, path, ratchet: new Ratchet(undefined) });
      run.advance(Infinity);
      if (run.errors.length > 0) return run.errors;
    }
    return [];
  },
  compile(type) {
    const node = ruleNode(type, true);
    if (node === undefined) return undefined;
    return {
      async evaluate(object, old, path, forgiven) {
        const unchanged = old === undefined ? undefined : { value: object, old, type: node.type };
        const ratchet = new Ratchet(unchanged, undefined, true);
        const run = new RuleRun({ node, value: object, old, path, ratchet }, forgiven);
        await inSlices(run);
        return run.errors;
      },
    };
  },
};

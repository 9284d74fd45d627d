import { PreparedHistogram } from '@apichain/apiserver';
import type { RuleEvaluator } from '@apichain/schema';
import type { Registry } from 'prom-client';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The rules of CRDs, measured: `apiserver_cel_compilation_duration_seconds` and `apiserver_cel_evaluation_duration_seconds`. Objects of a
 * type without rules cost nothing.
 */
export function measuredRules(rules: RuleEvaluator, registry: Registry): RuleEvaluator {
  const timer = (name: string, help: string) => {
    const series = new PreparedHistogram({ name, help, labelNames: [], buckets, registry }).prepare({});
    return <T>(work: () => T): T => {
      const began = performance.now();
      try {
        return work();
      } finally {
        series.observe((performance.now() - began) / 1_000);
      }
    };
  };
  const compiling = timer(
    'apiserver_cel_compilation_duration_seconds',
    'How long expressions took to compile, in seconds.',
  );
  const evaluating = timer(
    'apiserver_cel_evaluation_duration_seconds',
    'How long expressions took to evaluate, in seconds.',
  );
  return {
    check: (...schema) => compiling(() => rules.check(...schema)),
    evaluateDefault: (type, value, path) => evaluating(() => rules.evaluateDefault(type, value, path)),
    compile: (type) => {
      const compiled = compiling(() => rules.compile(type));
      return compiled === undefined
        ? undefined
        : { evaluate: (...objects) => evaluating(() => compiled.evaluate(...objects)) };
    },
  };
}

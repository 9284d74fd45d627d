import { PreparedHistogram } from '@apichain/observability';
import type { Work } from '@apichain/meta';
import type { RuleEvaluator } from '@apichain/schema';
import type { Registry } from 'prom-client';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Measures the rules of CRDs: `apiserver_cel_compilation_duration_seconds` and `apiserver_cel_evaluation_duration_seconds`. Objects of a type
 * without rules are not measured and have no overhead.
 */
export function measuredRules(rules: RuleEvaluator, registry: Registry): RuleEvaluator {
  const timer = (name: string, help: string) => {
    const series = new PreparedHistogram({ name, help, labelNames: [], buckets, registry }).prepare({});
    return (began: number): void => series.observe((performance.now() - began) / 1_000);
  };
  const compiled = timer(
    'apiserver_cel_compilation_duration_seconds',
    'How long expressions took to compile, in seconds.',
  );
  const evaluated = timer(
    'apiserver_cel_evaluation_duration_seconds',
    'How long expressions took to evaluate, in seconds.',
  );
  return {
    checking: (...schema) => measuredWork(compiled, rules.checking(...schema)),
    evaluatingDefault: (type, value, path) => measuredWork(evaluated, rules.evaluatingDefault(type, value, path)),
    compile: (type) => {
      const ofType = measured(compiled, () => rules.compile(type));
      return ofType === undefined
        ? undefined
        : { evaluating: (...objects) => measuredWork(evaluated, ofType.evaluating(...objects)) };
    },
  };
}

/** Called at the end of a measured operation with its start time. */
type Observe = (began: number) => void;

function measured<T>(observe: Observe, work: () => T): T {
  const began = performance.now();
  try {
    return work();
  } finally {
    observe(began);
  }
}

function* measuredWork<T>(observe: Observe, work: Work<T>): Work<T> {
  const began = performance.now();
  try {
    return yield* work;
  } finally {
    observe(began);
  }
}

import type { RuleTimers } from '@apichain/cel';
import { PreparedHistogram } from '@apichain/observability';
import type { Registry } from 'prom-client';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of the rules of CRDs: `apiserver_cel_compilation_duration_seconds` and `apiserver_cel_evaluation_duration_seconds`. */
export function ruleMetrics(registry: Registry): RuleTimers {
  const timer = (name: string, help: string) => {
    const series = new PreparedHistogram({ name, help, labelNames: [], buckets, registry }).prepare({});
    return (milliseconds: number): void => series.observe(milliseconds / 1_000);
  };
  return {
    compiled: timer('apiserver_cel_compilation_duration_seconds', 'How long expressions took to compile, in seconds.'),
    evaluated: timer('apiserver_cel_evaluation_duration_seconds', 'How long expressions took to evaluate, in seconds.'),
  };
}

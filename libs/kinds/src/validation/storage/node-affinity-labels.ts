import { type Plain, record, records } from '../../fields.ts';

const stableNames: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

function stableTerm(term: Plain, old: Plain): Plain {
  const stored = records(old.matchExpressions);
  if (stored.length === 0) return old;
  const now = records(term.matchExpressions);
  return {
    ...old,
    matchExpressions: stored.map((expression, i) => {
      const stable = stableNames[String(expression.key)];
      return stable !== undefined && now[i]?.key === stable ? { ...expression, key: stable } : expression;
    }),
  };
}

/** The stored affinity, with those beta labels renamed that the new one has renamed: the only change it may make. */
export function stableAffinity(affinity: unknown, old: unknown): Plain {
  const terms = records(record(record(affinity).required).nodeSelectorTerms);
  const stored = records(record(record(old).required).nodeSelectorTerms);
  return {
    ...record(old),
    required: {
      ...record(record(old).required),
      nodeSelectorTerms: stored.map((term, i) => stableTerm(terms[i] ?? {}, term)),
    },
  };
}

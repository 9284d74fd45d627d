import { lookupTable } from '@apichain/meta';
import { type Plain, record, records, text } from '@apichain/kinds';

const stableNames: Readonly<Record<string, string>> = lookupTable({
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
});

function stableRequirements(given: unknown, stored: unknown): Plain[] {
  const now = records(given);
  return records(stored).map((requirement, i) => {
    // A label without a stable name may be renamed to nothing, which is no label: the check of the new key complains.
    const stable = stableNames[text(requirement.key)] ?? '';
    return now[i] !== undefined && text(now[i].key) === stable ? { ...requirement, key: stable } : requirement;
  });
}

const stableTerm = (term: Plain, old: Plain): Plain => ({
  ...old,
  matchExpressions: stableRequirements(term.matchExpressions, old.matchExpressions),
  matchFields: stableRequirements(term.matchFields, old.matchFields),
});

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

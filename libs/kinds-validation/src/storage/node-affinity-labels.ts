import type { NodeSelectorRequirement, NodeSelectorTerm, VolumeNodeAffinity } from '@apichain/api/core/v1';
import { lookupTable } from '@apichain/meta';

const stableNames: Readonly<Record<string, string>> = lookupTable({
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
});

function stableRequirements(
  given: readonly NodeSelectorRequirement[] | undefined,
  stored: readonly NodeSelectorRequirement[] | undefined,
): NodeSelectorRequirement[] {
  const now = given ?? [];
  return (stored ?? []).map((requirement, i) => {
    // A key without a stable name may be changed to an empty key here; the check of the new key then rejects it.
    const stable = stableNames[requirement.key ?? ''] ?? '';
    const renamed = now[i];
    return renamed !== undefined && (renamed.key ?? '') === stable ? { ...requirement, key: stable } : requirement;
  });
}

const stableTerm = (term: NodeSelectorTerm, old: NodeSelectorTerm): NodeSelectorTerm => ({
  ...old,
  matchExpressions: stableRequirements(term.matchExpressions, old.matchExpressions),
  matchFields: stableRequirements(term.matchFields, old.matchFields),
});

/** The stored affinity with the beta labels that the new affinity renames to their stable names; no other change is allowed. */
export function stableAffinity(
  affinity: VolumeNodeAffinity | undefined,
  old: VolumeNodeAffinity | undefined,
): VolumeNodeAffinity {
  const terms = affinity?.required?.nodeSelectorTerms ?? [];
  const stored = old?.required?.nodeSelectorTerms ?? [];
  return {
    ...old,
    required: {
      ...old?.required,
      nodeSelectorTerms: stored.map((term, i) => stableTerm(terms[i] ?? {}, term)),
    },
  };
}

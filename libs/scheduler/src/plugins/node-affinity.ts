import type { NodeSelectorTerm } from '@apichain/api/core/v1';
import { isDemandedNode, matchesTerm } from '@apichain/component-helpers';
import { on } from '../framework/cluster-event.ts';
import { type Plugin, normalizeScores } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

/** Rejects nodes that the pod's `nodeSelector` or required node affinity excludes; prefers those of its preferred node affinity. */
export const nodeAffinity: Plugin = {
  name: 'NodeAffinity',
  events: [
    on('Node', ['Add', 'UpdateNodeLabel'], ({ pod }, { before, after }) => {
      if (after === undefined || !isDemandedNode(pod, after)) return false;
      return before === undefined || !isDemandedNode(pod, before);
    }),
  ],
  preFilter: ({ pod }) => {
    const { nodeSelector, affinity } = pod.spec ?? {};
    const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (nodeSelector === undefined && required === undefined) return undefined;
    const nodeNames = demandedNames(required?.nodeSelectorTerms ?? []);
    if (nodeNames?.size === 0) return unresolvable('pod affinity terms conflict');
    return {
      nodeNames,
      filter: ({ node }) =>
        isDemandedNode(pod, node) ? undefined : unresolvable("node(s) didn't match Pod's node affinity/selector"),
    };
  },
  preScore: ({ pod }) => {
    const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (preferred === undefined) return undefined;
    return {
      score: ({ node }) => {
        let sum = 0;
        for (const { weight = 0, preference = {} } of preferred) if (matchesTerm(preference, node)) sum += weight;
        return sum;
      },
      normalize: (scores) => normalizeScores(scores),
    };
  },
};

/** The names of the only nodes that the terms allow; undefined if a term does not name nodes. */
function demandedNames(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...others] = lists.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((names) => names.includes(name))) all.add(name);
  }
  return all;
}

import type { AffinityTerm, AffinityTerms } from './affinity-terms.ts';
import type { PodInfo } from './pod-info.ts';

/** A term that pods on nodes have, and how often, by node. */
export interface PlacedTerm {
  readonly term: AffinityTerm;
  readonly byNode: ReadonlyMap<string, number>;
}

interface Entry extends PlacedTerm {
  readonly byNode: Map<string, number>;
}

const kinds = ['requiredAffinity', 'requiredAntiAffinity', 'preferredAffinity', 'preferredAntiAffinity'] as const;

/**
 * The affinity terms of the pods that are on nodes. The replicas of a workload have the same terms, so a pod that is scheduled is compared with each of
 * them once.
 */
export class PlacedTerms {
  readonly #terms: Readonly<Record<keyof AffinityTerms, Map<string, Entry>>> = {
    requiredAffinity: new Map(),
    requiredAntiAffinity: new Map(),
    preferredAffinity: new Map(),
    preferredAntiAffinity: new Map(),
  };

  get(kind: keyof AffinityTerms): Iterable<PlacedTerm> {
    return this.#terms[kind].values();
  }

  /** Takes note that a pod has come to a node (1) or left it (-1). */
  update(pod: PodInfo, node: string, delta: 1 | -1): void {
    if (!pod.hasAffinity) return;
    for (const kind of kinds)
      for (const term of pod.terms[kind]) {
        const entries = this.#terms[kind];
        let entry = entries.get(term.key);
        if (entry === undefined) entries.set(term.key, (entry = { term, byNode: new Map() }));
        const number = (entry.byNode.get(node) ?? 0) + delta;
        if (number !== 0) entry.byNode.set(node, number);
        else if (entry.byNode.delete(node) && entry.byNode.size === 0) entries.delete(term.key);
      }
  }
}

import { type AffinityTerm, allTermsMatch, termMatches } from '../../cluster/affinity-terms.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { NodeInfo } from '../../cluster/node-info.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';
import type { Filter } from '../../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../../framework/status.ts';
import { selectedByAll, withNamespaces, TopologyCounts } from './topology-counts.ts';

interface Facts {
  readonly pod: PodInfo;
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
}

/** The numbers of terms that match, by domain. */
interface Counts {
  /** Anti-affinity terms of other pods that select this pod. */
  readonly existingAntiAffinity: TopologyCounts;
  /** Other pods that all affinity terms of this pod select. */
  readonly affinity: TopologyCounts;
  /** Other pods that an anti-affinity term of this pod selects. */
  readonly antiAffinity: TopologyCounts;
}

/** Rejects nodes that required affinity and anti-affinity between pods exclude. */
export class AffinityFilter implements Filter {
  readonly #facts: Facts;
  readonly #counts: Counts;

  private constructor(facts: Facts, counts: Counts) {
    this.#facts = facts;
    this.#counts = counts;
  }

  /** Undefined if neither the pod nor one that is there already demands anything. */
  static for(pod: PodInfo, cluster: Cluster): AffinityFilter | undefined {
    const facts: Facts = {
      pod,
      affinity: withNamespaces(pod.terms.requiredAffinity, cluster),
      antiAffinity: withNamespaces(pod.terms.requiredAntiAffinity, cluster),
      namespaceLabels: cluster.namespaceLabels(pod.namespace),
    };
    const filter = new AffinityFilter(facts, {
      existingAntiAffinity: new TopologyCounts(),
      affinity: new TopologyCounts(),
      antiAffinity: new TopologyCounts(),
    });
    filter.#countCluster(cluster);
    const demandsNothing = facts.affinity.length === 0 && facts.antiAffinity.length === 0;
    return demandsNothing && filter.#counts.existingAntiAffinity.isEmpty ? undefined : filter;
  }

  filter(node: NodeInfo): Rejection | undefined {
    if (!this.#satisfiesAffinity(node)) return unresolvable("node(s) didn't match pod affinity rules");
    const { antiAffinity, existingAntiAffinity } = this.#counts;
    for (const { topologyKey } of this.#facts.antiAffinity)
      if (antiAffinity.get(node, topologyKey) > 0) return unschedulable("node(s) didn't match pod anti-affinity rules");
    for (const key of existingAntiAffinity.keys)
      if (existingAntiAffinity.get(node, key) > 0)
        return unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");
    return undefined;
  }

  update(pod: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    this.#countExisting(pod, node, delta);
    this.#countOwn(pod, node, delta);
  }

  clone(): AffinityFilter {
    const { existingAntiAffinity, affinity, antiAffinity } = this.#counts;
    return new AffinityFilter(this.#facts, {
      existingAntiAffinity: existingAntiAffinity.clone(),
      affinity: affinity.clone(),
      antiAffinity: antiAffinity.clone(),
    });
  }

  #satisfiesAffinity(node: NodeInfo): boolean {
    const { affinity, pod } = this.#facts;
    let hasPods = true;
    for (const { topologyKey } of affinity) {
      if (node.labels[topologyKey] === undefined) return false;
      if (this.#counts.affinity.get(node, topologyKey) <= 0) hasPods = false;
    }
    // The first pod of a group that wants to be together has no other to be with.
    return hasPods || (this.#counts.affinity.isEmpty && allTermsMatch(affinity, pod.pod));
  }

  #countCluster(cluster: Cluster): void {
    const { pod, namespaceLabels, affinity, antiAffinity } = this.#facts;
    const counts = this.#counts;
    for (const { term, byNode } of cluster.placedTerms('requiredAntiAffinity'))
      if (termMatches(term, pod.pod, namespaceLabels))
        counts.existingAntiAffinity.addAll(byNode, term.topologyKey, cluster);
    if (affinity.length > 0) {
      const byNode = cluster.podCounts(selectedByAll(affinity));
      for (const { topologyKey } of affinity) counts.affinity.addAll(byNode, topologyKey, cluster);
    }
    for (const term of antiAffinity)
      counts.antiAffinity.addAll(cluster.podCounts(selectedByAll([term])), term.topologyKey, cluster);
  }

  #countExisting(existing: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    const { pod, namespaceLabels } = this.#facts;
    for (const term of existing.terms.requiredAntiAffinity)
      if (termMatches(term, pod.pod, namespaceLabels))
        this.#counts.existingAntiAffinity.add(node, term.topologyKey, delta);
  }

  #countOwn({ pod: existing }: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    const { affinity, antiAffinity } = this.#facts;
    if (allTermsMatch(affinity, existing))
      for (const { topologyKey } of affinity) this.#counts.affinity.add(node, topologyKey, delta);
    for (const term of antiAffinity)
      if (termMatches(term, existing, undefined)) this.#counts.antiAffinity.add(node, term.topologyKey, delta);
  }
}

import type { Cluster } from '../../cluster/cluster.ts';
import type { NodeInfo } from '../../cluster/node-info.ts';
import type { PodInfo } from '../../cluster/pod-info.ts';
import type { Filter } from '../../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../../framework/status.ts';
import { type SpreadConstraint, countedPods, hasTopologies, isIncluded, spreadConstraints } from './constraints.ts';

const notMatched = "node(s) didn't match pod topology spread constraints";

/** The number of matching pods in each domain of a constraint. */
class Domains {
  readonly #counts: Map<string, number>;
  #min: number | undefined;

  constructor(counts = new Map<string, number>()) {
    this.#counts = counts;
  }

  add(domain: string, count: number): void {
    this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + count);
    this.#min = undefined;
  }
  count(domain: string): number {
    return this.#counts.get(domain) ?? 0;
  }
  /** The smallest count. With fewer domains than `minDomains`, there is a domain without pods to be expected. */
  min(minDomains: number): number {
    if (this.#counts.size < minDomains) return 0;
    this.#min ??= [...this.#counts.values()].reduce((min, count) => Math.min(min, count), Infinity);
    return this.#min;
  }
  clone(): Domains {
    return new Domains(new Map(this.#counts));
  }
}

/** Rejects nodes that would make the skew of a constraint too large. */
export class SpreadFilter implements Filter {
  readonly #pod: PodInfo;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #domains: readonly Domains[];

  private constructor(pod: PodInfo, constraints: readonly SpreadConstraint[], domains: readonly Domains[]) {
    this.#pod = pod;
    this.#constraints = constraints;
    this.#domains = domains;
  }

  /** Undefined for a pod without constraints that must be satisfied. */
  static for(pod: PodInfo, cluster: Cluster): SpreadFilter | undefined {
    const constraints = spreadConstraints(pod, 'DoNotSchedule', cluster);
    if (constraints.length === 0) return undefined;
    const domains = constraints.map((constraint) => {
      const counted = new Domains();
      const counts = cluster.podCounts(countedPods(constraint, pod));
      for (const { node, name, labels } of cluster.nodes)
        if (hasTopologies(node, constraints) && isIncluded(constraint, pod, node))
          counted.add(labels[constraint.topologyKey] ?? '', counts.get(name) ?? 0);
      return counted;
    });
    return new SpreadFilter(pod, constraints, domains);
  }

  filter({ labels }: NodeInfo): Rejection | undefined {
    for (const [index, { topologyKey, selector, minDomains, maxSkew }] of this.#constraints.entries()) {
      const domain = labels[topologyKey];
      if (domain === undefined) return unresolvable(`${notMatched} (missing required label)`);
      const domains = this.#domains[index];
      if (domains === undefined) continue;
      const own = selector.matches(this.#pod.labels) ? 1 : 0;
      if (domains.count(domain) + own - domains.min(minDomains) > maxSkew) return unschedulable(notMatched);
    }
    return undefined;
  }

  update(pod: PodInfo, { node, labels }: NodeInfo, delta: 1 | -1): void {
    if (pod.namespace !== this.#pod.namespace || !hasTopologies(node, this.#constraints)) return;
    for (const [index, constraint] of this.#constraints.entries())
      if (constraint.selector.matches(pod.labels) && isIncluded(constraint, this.#pod, node))
        this.#domains[index]?.add(labels[constraint.topologyKey] ?? '', delta);
  }

  clone(): SpreadFilter {
    return new SpreadFilter(
      this.#pod,
      this.#constraints,
      this.#domains.map((domains) => domains.clone()),
    );
  }
}

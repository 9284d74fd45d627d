import { LabelSelector } from '@apichain/meta';
import { allTermsMatch, withKey, type AffinityTerm } from '../../cluster/affinity-terms.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { NodeInfo } from '../../cluster/node-info.ts';
import type { PodSelection } from '../../cluster/pod-counts.ts';

/** Numbers by topology key and the value that nodes have for it. */
export class TopologyCounts {
  readonly #byKey: Map<string, Map<string, number>>;

  constructor(byKey = new Map<string, Map<string, number>>()) {
    this.#byKey = byKey;
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Adds to the number of the node's domain, if the node has the label. */
  add({ labels }: NodeInfo, key: string, delta: number): void {
    const value = labels[key];
    if (value === undefined) return;
    let values = this.#byKey.get(key);
    if (values === undefined) this.#byKey.set(key, (values = new Map<string, number>()));
    const number = (values.get(value) ?? 0) + delta;
    if (number !== 0) values.set(value, number);
    else if (values.delete(value) && values.size === 0) this.#byKey.delete(key);
    else if (values.size === 0) this.#byKey.delete(key);
  }

  /** Adds numbers by the name of the node. */
  addAll(byNode: ReadonlyMap<string, number>, key: string, cluster: Cluster, factor = 1): void {
    for (const [name, number] of byNode) {
      const node = cluster.node(name);
      if (node !== undefined) this.add(node, key, factor * number);
    }
  }

  /** The number of the node's domain, 0 if it is in none. */
  get({ labels }: NodeInfo, key: string): number {
    const value = labels[key];
    return value === undefined ? 0 : (this.#byKey.get(key)?.get(value) ?? 0);
  }

  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  clone(): TopologyCounts {
    return new TopologyCounts(new Map([...this.#byKey].map(([key, values]) => [key, new Map(values)])));
  }
}

const nothing = new LabelSelector([], true);

/** The terms of a pod that is scheduled, with the namespaces that their namespace selectors select now. */
export const withNamespaces = (terms: readonly AffinityTerm[], cluster: Cluster): readonly AffinityTerm[] =>
  terms.map((term) => {
    const { namespaceSelector } = term;
    if (namespaceSelector.nothing || namespaceSelector.empty) return term;
    const selected = [...cluster.objects.namespaces.list()]
      .filter(({ metadata }) => namespaceSelector.matches(metadata.labels))
      .map(({ metadata }) => metadata.name ?? '');
    return withKey({ ...term, namespaces: new Set([...term.namespaces, ...selected]), namespaceSelector: nothing });
  });

/** The pods that all of the terms select. There must be terms. */
export const selectedByAll = (terms: readonly AffinityTerm[]): PodSelection => ({
  key: `terms ${terms.map(({ key }) => key).join(' & ')}`,
  includes: ({ pod }) => allTermsMatch(terms, pod),
});

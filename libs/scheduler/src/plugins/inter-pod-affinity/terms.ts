import { LabelSelector } from '@apichain/meta';
import { type AffinityTerm, allTermsMatch, withKey } from '../../cluster/affinity-terms.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { PodSelection } from '../../cluster/pod-counts.ts';

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

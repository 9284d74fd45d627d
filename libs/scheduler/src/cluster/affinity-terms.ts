import type { Pod, PodAffinityTerm } from '@apichain/api/core/v1';
import { type LabelSelector, labelSelectorFromObject } from '@apichain/meta';

type Labels = Readonly<Record<string, string>>;

/** A term of pod affinity or anti-affinity, prepared for matching. */
export interface AffinityTerm {
  /** Equal terms have equal keys. */
  readonly key: string;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelSelector;
  /** The weight of a preferred term, 0 of a required one. */
  readonly weight: number;
}

/** The four lists of affinity terms of a pod. */
export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly AffinityTerm[];
  readonly preferredAntiAffinity: readonly AffinityTerm[];
}

const noAffinityTerms: AffinityTerms = {
  requiredAffinity: [],
  requiredAntiAffinity: [],
  preferredAffinity: [],
  preferredAntiAffinity: [],
};

/** The affinity terms of a pod. Throws SelectorError. */
export function affinityTermsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return noAffinityTerms;
  type Affinity = typeof podAffinity;
  const required = (affinity: Affinity) =>
    (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => newAffinityTerm(pod, term, 0));
  const preferred = (affinity: Affinity) =>
    (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight = 0, podAffinityTerm = {} }) =>
      newAffinityTerm(pod, podAffinityTerm, weight),
    );
  return {
    requiredAffinity: required(podAffinity),
    requiredAntiAffinity: required(podAntiAffinity),
    preferredAffinity: preferred(podAffinity),
    preferredAntiAffinity: preferred(podAntiAffinity),
  };
}

function newAffinityTerm(pod: Pod, term: PodAffinityTerm, weight: number): AffinityTerm {
  const { topologyKey = '', labelSelector, namespaces = [], namespaceSelector } = term;
  const own = namespaces.length === 0 && namespaceSelector === undefined;
  return withKey({
    topologyKey,
    selector: labelSelectorFromObject(labelSelector),
    namespaces: new Set(own ? [pod.metadata.namespace ?? ''] : namespaces),
    namespaceSelector: labelSelectorFromObject(namespaceSelector),
    weight,
  });
}

/** The term with its key. */
export function withKey(term: Omit<AffinityTerm, 'key'>): AffinityTerm {
  const { topologyKey, selector, namespaces, namespaceSelector, weight } = term;
  const text = (each: LabelSelector) => (each.nothing ? '!' : each.toString());
  const key = [topologyKey, text(selector), [...namespaces].sort().join(), text(namespaceSelector), weight].join(';');
  return { ...term, key };
}

/** Whether the term selects the pod. `namespaceLabels` are the labels of the pod's namespace. */
export function termMatches(term: AffinityTerm, { metadata }: Pod, namespaceLabels: Labels | undefined): boolean {
  return (
    (term.namespaces.has(metadata.namespace ?? '') || term.namespaceSelector.matches(namespaceLabels)) &&
    term.selector.matches(metadata.labels)
  );
}

/** Whether there are terms, and all of them select the pod. */
export const allTermsMatch = (terms: readonly AffinityTerm[], pod: Pod, namespaceLabels?: Labels): boolean =>
  terms.length > 0 && terms.every((term) => termMatches(term, pod, namespaceLabels));

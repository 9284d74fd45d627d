import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PodSpec,
} from '@apichain/api/core/v1';
import type { LabelSelector } from '@apichain/api/meta/v1';
import { field, isDNS1123Label, isQualifiedName } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { checkEach, invalidEach, type Out } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors } from '../common/selectors.ts';
import { hasBadNodeValues, nodeSelectorErrors, nodeSelectorTermErrors } from './node-selector.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const podAffinities = ['podAffinity', 'podAntiAffinity'] as const;

function weightErrors(out: Out, path: string, weight = 0): void {
  if (weight < 1 || weight > 100) out.push(field.invalid(`${path}.weight`, weight, 'must be in the range 1-100'));
}

function nodeAffinityErrors(out: Out, path: string, affinity: NodeAffinity, old: PodSpec | undefined): void {
  if (isSet(affinity[required])) {
    const checkValues = !hasBadNodeValues(old?.affinity?.nodeAffinity?.[required]);
    nodeSelectorErrors(out, `${path}.${required}`, affinity[required], checkValues);
  }
  checkEach(out, affinity[preferred] ?? [], (out, entry, i) => {
    const where = `${path}.${preferred}[${i}]`;
    weightErrors(out, where, entry.weight);
    nodeSelectorTermErrors(out, `${where}.preference`, entry.preference ?? {}, false);
  });
}

/**
 * Reports keys of matchLabelKeys that the selector also has apart from the expression that merging adds. As in the API server, the index of the
 * key follows the path of the term itself.
 */
function mergedTwiceErrors(out: Out, path: string, selector: LabelSelector, matching: readonly string[]): void {
  const indexOf = new Map(matching.map((key, i) => [key, i]));
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  checkEach(out, selector.matchExpressions ?? [], (out, expression) => {
    const key = expression.key ?? '';
    const i = indexOf.get(key);
    if (i !== undefined && seen.has(key)) {
      out.push(field.invalid(`${path}[${i}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    }
    seen.add(key);
  });
}

/** The parts of pod affinity terms and spread constraints that name label keys; only affinity terms have mismatchLabelKeys. */
type LabelKeys = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;

/** Checks the label keys whose values are taken from the pod. */
export function labelKeyErrors(out: Out, path: string, holder: LabelKeys): void {
  for (const name of ['matchLabelKeys', 'mismatchLabelKeys'] as const) {
    const keys = holder[name] ?? [];
    if (keys.length === 0) continue;
    if (!isSet(holder.labelSelector)) {
      out.push(field.forbidden(`${path}.${name}`, 'must not be specified when labelSelector is not set'));
    } else for (const [i, key] of keys.entries()) invalidEach(out, `${path}.${name}[${i}]`, key, isQualifiedName(key));
  }
  const matching = holder.matchLabelKeys ?? [];
  const mismatching = new Set(holder.mismatchLabelKeys);
  if (isSet(holder.labelSelector)) mergedTwiceErrors(out, path, holder.labelSelector, matching);
  checkEach(out, matching, (out, key, i) => {
    if (mismatching.has(key)) {
      const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
      out.push(field.invalid(`${path}.matchLabelKeys[${i}]`, key, detail));
    }
  });
}

function podTermErrors(out: Out, path: string, term: PodAffinityTerm, anyValues: boolean): void {
  labelSelectorErrors(out, `${path}.labelSelector`, term.labelSelector, anyValues);
  labelSelectorErrors(out, `${path}.namespaceSelector`, term.namespaceSelector, anyValues);
  checkEach(out, term.namespaces ?? [], (out, name) =>
    invalidEach(out, `${path}.namespace`, name, isDNS1123Label(name)),
  );
  labelKeyErrors(out, path, term);
  const key = term.topologyKey ?? '';
  if (key === '') out.push(field.required(`${path}.topologyKey`, 'can not be empty'));
  invalidEach(out, `${path}.topologyKey`, key, isQualifiedName(key));
}

function podAffinityErrors(out: Out, path: string, affinity: PodAffinity | PodAntiAffinity, anyValues: boolean): void {
  checkEach(out, affinity[required] ?? [], (out, term, i) => {
    podTermErrors(out, `${path}.${required}[${i}]`, term, anyValues);
  });
  checkEach(out, affinity[preferred] ?? [], (out, entry, i) => {
    const where = `${path}.${preferred}[${i}]`;
    weightErrors(out, where, entry.weight);
    podTermErrors(out, `${where}.podAffinityTerm`, entry.podAffinityTerm ?? {}, anyValues);
  });
}

/** Whether a stored affinity has selectors with invalid label values. */
function hasBadPodValues(old: Affinity | undefined): boolean {
  if (!isSet(old)) return false;
  return podAffinities.some((name) => {
    const affinity = old[name];
    const terms = [
      ...(affinity?.[required] ?? []),
      ...(affinity?.[preferred] ?? []).map((entry) => entry.podAffinityTerm ?? {}),
    ];
    return terms.some((term) => [term.labelSelector, term.namespaceSelector].some(hasBadSelectorValues));
  });
}

/** Checks the affinity of a pod. */
export function affinityErrors(out: Out, path: string, affinity: Affinity | undefined, old: PodSpec | undefined): void {
  if (!isSet(affinity)) return;
  if (isSet(affinity.nodeAffinity)) {
    nodeAffinityErrors(out, `${path}.nodeAffinity`, affinity.nodeAffinity, old);
  }
  if (!isSet(affinity.podAffinity) && !isSet(affinity.podAntiAffinity)) return;
  const anyValues = hasBadPodValues(old?.affinity);
  for (const name of podAffinities) {
    const pods = affinity[name];
    if (isSet(pods)) podAffinityErrors(out, `${path}.${name}`, pods, anyValues);
  }
}

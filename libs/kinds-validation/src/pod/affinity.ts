import { field, isDNS1123Label, isQualifiedName } from '@apichain/meta';
import { at, integer, isSet, type Plain, record, records, text, texts } from '@apichain/kinds';
import { checkEach, invalidEach, type Out } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors } from '../common/selectors.ts';
import { hasBadNodeValues, nodeSelectorErrors, nodeSelectorTermErrors } from './node-selector.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function weightErrors(out: Out, path: string, weight: unknown): void {
  const value = integer(weight);
  if (value < 1 || value > 100) out.push(field.invalid(`${path}.weight`, value, 'must be in the range 1-100'));
}

function nodeAffinityErrors(out: Out, path: string, affinity: Plain, old: Plain | undefined): void {
  if (isSet(affinity[required])) {
    const checkValues = !hasBadNodeValues(at(old, 'affinity', 'nodeAffinity', required));
    nodeSelectorErrors(out, `${path}.${required}`, affinity[required], checkValues);
  }
  checkEach(out, records(affinity[preferred]), (out, entry, i) => {
    const where = `${path}.${preferred}[${i}]`;
    weightErrors(out, where, entry.weight);
    nodeSelectorTermErrors(out, `${where}.preference`, entry.preference, false);
  });
}

/** Keys of labels that a selector names once more than merging them into it makes. The index goes to the term itself, as the API server has it. */
function mergedTwiceErrors(out: Out, path: string, selector: Plain, matching: readonly string[]): void {
  const indexOf = new Map(matching.map((key, i) => [key, i]));
  const seen = new Set(Object.keys(record(selector.matchLabels)));
  checkEach(out, records(selector.matchExpressions), (out, expression) => {
    const key = text(expression.key);
    const i = indexOf.get(key);
    if (i !== undefined && seen.has(key)) {
      out.push(field.invalid(`${path}[${i}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    }
    seen.add(key);
  });
}

/** Label keys whose values are taken from the pod. */
export function labelKeyErrors(out: Out, path: string, holder: Plain): void {
  for (const name of ['matchLabelKeys', 'mismatchLabelKeys']) {
    const keys = texts(holder[name]);
    if (keys.length === 0) continue;
    if (!isSet(holder.labelSelector)) {
      out.push(field.forbidden(`${path}.${name}`, 'must not be specified when labelSelector is not set'));
    } else for (const [i, key] of keys.entries()) invalidEach(out, `${path}.${name}[${i}]`, key, isQualifiedName(key));
  }
  const matching = texts(holder.matchLabelKeys);
  const mismatching = new Set(texts(holder.mismatchLabelKeys));
  if (isSet(holder.labelSelector)) mergedTwiceErrors(out, path, record(holder.labelSelector), matching);
  checkEach(out, matching, (out, key, i) => {
    if (mismatching.has(key)) {
      const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
      out.push(field.invalid(`${path}.matchLabelKeys[${i}]`, key, detail));
    }
  });
}

function podTermErrors(out: Out, path: string, term: Plain, anyValues: boolean): void {
  labelSelectorErrors(out, `${path}.labelSelector`, term.labelSelector, anyValues);
  labelSelectorErrors(out, `${path}.namespaceSelector`, term.namespaceSelector, anyValues);
  checkEach(out, texts(term.namespaces), (out, name) =>
    invalidEach(out, `${path}.namespace`, name, isDNS1123Label(name)),
  );
  labelKeyErrors(out, path, term);
  const key = text(term.topologyKey);
  if (key === '') out.push(field.required(`${path}.topologyKey`, 'can not be empty'));
  invalidEach(out, `${path}.topologyKey`, key, isQualifiedName(key));
}

function podAffinityErrors(out: Out, path: string, affinity: Plain, anyValues: boolean): void {
  checkEach(out, records(affinity[required]), (out, term, i) => {
    podTermErrors(out, `${path}.${required}[${i}]`, term, anyValues);
  });
  checkEach(out, records(affinity[preferred]), (out, entry, i) => {
    const where = `${path}.${preferred}[${i}]`;
    weightErrors(out, where, entry.weight);
    podTermErrors(out, `${where}.podAffinityTerm`, record(entry.podAffinityTerm), anyValues);
  });
}

/** Whether a stored affinity selects by values that are no label values. */
function hasBadPodValues(old: Plain | undefined): boolean {
  if (old === undefined) return false;
  return ['podAffinity', 'podAntiAffinity'].some((name) => {
    const affinity = at(old, 'affinity', name);
    const terms = [
      ...records(at(affinity, required)),
      ...records(at(affinity, preferred)).map((entry) => record(entry.podAffinityTerm)),
    ];
    return terms.some((term) => [term.labelSelector, term.namespaceSelector].some(hasBadSelectorValues));
  });
}

/** Where a pod wants to run. */
export function affinityErrors(out: Out, path: string, value: unknown, old: Plain | undefined): void {
  if (!isSet(value)) return;
  const affinity = record(value);
  if (isSet(affinity.nodeAffinity)) {
    nodeAffinityErrors(out, `${path}.nodeAffinity`, record(affinity.nodeAffinity), old);
  }
  if (!isSet(affinity.podAffinity) && !isSet(affinity.podAntiAffinity)) return;
  const anyValues = hasBadPodValues(old);
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    if (isSet(affinity[name])) podAffinityErrors(out, `${path}.${name}`, record(affinity[name]), anyValues);
  }
}

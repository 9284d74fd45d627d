import type { LabelSelector } from '@apichain/api/meta/v1';

/** A selector as Go prints it. */
export function printSelector({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.entries(matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const requirements = (matchExpressions ?? []).map(
    ({ key = '', operator = '', values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  const map = `map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}

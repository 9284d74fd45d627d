import { fields, list, text } from '../api/stored-object.ts';

const ofValues: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** A LabelSelector as in a query: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api */
export function selectorText(selector: unknown): string {
  const { matchLabels, matchExpressions } = fields(selector);
  const equal = Object.entries(fields(matchLabels)).map(([name, value]) => `${name}=${text(value)}`);
  const others = list(matchExpressions).map(({ key, operator, values }) =>
    ofValues[text(operator)]?.(text(key), Array.isArray(values) ? values.join(',') : ''),
  );
  return [...equal, ...others.filter((one) => one !== undefined)].join(',');
}

import type { PodSpec, Toleration, TopologySpreadConstraint } from '@apichain/api/core/v1';
import { field, isQualifiedName, isValidLabelValue } from '@apichain/meta';
import { isSet, records, text } from '@apichain/kinds';
import { checkEach, choice, invalidEach, type Out } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors } from '../common/selectors.ts';
import { labelKeyErrors } from './affinity.ts';

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function tolerationErrors(out: Out, path: string, toleration: Toleration): void {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  const at = `${path}.operator`;
  if (key !== '') invalidEach(out, `${path}.key`, key, isQualifiedName(key));
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    out.push(field.invalid(at, operator, detail));
  }
  if (isSet(toleration.tolerationSeconds) && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    out.push(field.invalid(`${path}.effect`, effect, detail));
  }
  if (operator === 'Equal' || operator === '') {
    const messages = isValidLabelValue(value);
    if (messages.length > 0) out.push(field.invalid(at, value, messages.join(';')));
  } else if (operator === 'Exists') {
    if (value !== '') out.push(field.invalid(at, value, "value must be empty when `operator` is 'Exists'"));
  } else if (operator === 'Lt' || operator === 'Gt') {
    out.push(field.notSupported(at, operator, ['Equal', 'Exists', 'Lt', 'Gt']));
  } else out.push(field.notSupported(at, operator, ['Equal', 'Exists']));
  if (effect !== '') choice(out, `${path}.effect`, effect, taintEffects);
}

/** Checks the tolerations of a pod. */
export function tolerationListErrors(out: Out, path: string, tolerations: readonly Toleration[] | undefined): void {
  checkEach(out, tolerations ?? [], (out, toleration, i) => tolerationErrors(out, `${path}[${i}]`, toleration));
}

/**
 * Reads the tolerations in an annotation's JSON. The JSON has not been decoded as a type, so it may have any shape: a value of another type
 * than its field counts as absent.
 */
export const tolerationsOf = (value: unknown): readonly Toleration[] =>
  records(value).map(({ key, operator, value, effect, tolerationSeconds }) => ({
    key: text(key),
    operator: text(operator),
    value: text(value),
    effect: text(effect),
    ...(isSet(tolerationSeconds) ? { tolerationSeconds: seconds(tolerationSeconds) } : {}),
  }));

const seconds = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;

const unsatisfiable = ['DoNotSchedule', 'ScheduleAnyway'];
const inclusion = ['Honor', 'Ignore'];

function minDomainsErrors(out: Out, path: string, constraint: TopologySpreadConstraint): void {
  if (!isSet(constraint.minDomains)) return;
  const minimum = constraint.minDomains;
  if (minimum <= 0) out.push(field.invalid(path, minimum, 'must be greater than zero'));
  if (constraint.whenUnsatisfiable !== 'DoNotSchedule') {
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${constraint.whenUnsatisfiable ?? ''}`;
    out.push(field.invalid(path, minimum, detail));
  }
}

/** Checks how pods are spread over topology domains. */
export function topologySpreadErrors(
  out: Out,
  path: string,
  constraints: readonly TopologySpreadConstraint[] | undefined,
  old: PodSpec | undefined,
): void {
  const list = constraints ?? [];
  if (list.length === 0) return;
  const anyValues = (old?.topologySpreadConstraints ?? []).some((c) => hasBadSelectorValues(c.labelSelector));
  const pair = ({ whenUnsatisfiable = '', topologyKey = '' }: TopologySpreadConstraint) =>
    `${whenUnsatisfiable} ${topologyKey}`;
  const lastOfPair = new Map(list.map((constraint, i) => [pair(constraint), i]));
  checkEach(out, list, (out, constraint, i) => {
    const at = `${path}[${i}]`;
    const skew = constraint.maxSkew ?? 0;
    const key = constraint.topologyKey ?? '';
    const when = constraint.whenUnsatisfiable ?? '';
    if (skew <= 0) out.push(field.invalid(`${at}.maxSkew`, skew, 'must be greater than zero'));
    if (key === '') out.push(field.required(`${at}.topologyKey`, 'can not be empty'));
    if (!unsatisfiable.includes(when)) out.push(field.notSupported(`${at}.whenUnsatisfiable`, when, unsatisfiable));
    if (lastOfPair.get(pair(constraint)) !== i)
      out.push(field.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${when}}`));
    minDomainsErrors(out, `${at}.minDomains`, constraint);
    choice(out, `${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, inclusion);
    choice(out, `${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, inclusion);
    labelKeyErrors(out, at, constraint);
    if (!anyValues) labelSelectorErrors(out, `${at}.labelSelector`, constraint.labelSelector);
  });
}

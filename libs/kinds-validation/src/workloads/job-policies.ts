import type {
  JobSpec,
  PodFailurePolicyRule,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  SuccessPolicyRule,
} from '@apichain/api/batch/v1';
import { byteLength, field, isQualifiedName } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goValue } from '../common/go-value.ts';
import { checkEach, invalidEach, nonNegative, type Out } from '../common/rules.ts';
import { countIndexes, parseIndexes } from './indexes.ts';

const mostRules = 20;
const mostValues = 255;
const longestIndexes = 64 * 1024;

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

const goList = (values: readonly string[]): string => `[${values.map((value) => `"${value}"`).join(' ')}]`;

/** A choice whose error lists the valid values when it is absent. */
function namedChoice(out: Out, path: string, value: string | undefined, choices: readonly string[]): void {
  if ((value ?? '') === '') out.push(field.required(path, `valid values: ${goList(choices)}`));
  else if (!choices.includes(value ?? '')) out.push(field.notSupported(path, value, choices));
}

function exitCodeErrors(
  out: Out,
  path: string,
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string>,
): void {
  namedChoice(out, `${path}.operator`, operator, operators);
  if (isSet(containerName) && !containers.has(containerName ?? '')) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    out.push(field.invalid(`${path}.containerName`, containerName, detail));
  }
  const at = `${path}.values`;
  const codes = values ?? [];
  if (codes.length === 0) out.push(field.invalid(at, values ?? null, 'at least one value is required'));
  else if (codes.length > mostValues) out.push(field.tooMany(at, codes.length, mostValues));
  const seen = new Set<number>();
  let ordered = true;
  checkEach(out, codes, (out, code, j) => {
    if (operator === 'In' && code === 0) {
      out.push(field.invalid(`${at}[${j}]`, code, 'must not be 0 for the In operator'));
    }
    if (seen.has(code)) out.push(field.duplicate(`${at}[${j}]`, code));
    else seen.add(code);
    if (j > 0 && (codes[j - 1] ?? 0) > code) ordered = false;
  });
  if (!ordered) out.push(field.invalid(at, codes, 'must be ordered'));
}

function podConditionErrors(out: Out, path: string, patterns: readonly PodFailurePolicyOnPodConditionsPattern[]): void {
  if (patterns.length > mostRules) out.push(field.tooMany(path, patterns.length, mostRules));
  checkEach(out, patterns, (out, pattern, j) => {
    const type = pattern.type ?? '';
    invalidEach(out, `${path}[${j}].type`, type, isQualifiedName(type));
    namedChoice(out, `${path}[${j}].status`, pattern.status, statuses);
  });
}

const withoutValue = (path: string, detail: string) => ({
  reason: 'FieldValueInvalid' as const,
  field: path,
  message: `Invalid value: ${detail}`,
});

function failureRuleErrors(
  out: Out,
  path: string,
  rule: PodFailurePolicyRule,
  spec: JobSpec,
  containers: ReadonlySet<string>,
): void {
  if (rule.action === 'FailIndex' && !isSet(spec.backoffLimitPerIndex)) {
    out.push(field.invalid(`${path}.action`, rule.action, 'requires the backoffLimitPerIndex to be set'));
  } else namedChoice(out, `${path}.action`, rule.action, actions);
  const patterns = rule.onPodConditions ?? [];
  const onExit = isSet(rule.onExitCodes);
  if (isSet(rule.onExitCodes)) exitCodeErrors(out, `${path}.onExitCodes`, rule.onExitCodes, containers);
  podConditionErrors(out, `${path}.onPodConditions`, patterns);
  if (onExit && patterns.length > 0) {
    out.push(withoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!onExit && patterns.length === 0) {
    out.push(withoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
}

/** Checks how failed pods affect the job. */
export function podFailurePolicyErrors(out: Out, path: string, spec: JobSpec): void {
  if (!isSet(spec.podFailurePolicy)) return;
  const rules = spec.podFailurePolicy?.rules ?? [];
  const at = `${path}.podFailurePolicy.rules`;
  if (rules.length > mostRules) out.push(field.tooMany(at, rules.length, mostRules));
  const podSpec = spec.template?.spec ?? {};
  const containers = new Set(
    [...(podSpec.containers ?? []), ...(podSpec.initContainers ?? [])].map((container) => container.name ?? ''),
  );
  checkEach(out, rules, (out, rule, i) => failureRuleErrors(out, `${at}[${i}]`, rule, spec, containers));
}

function successRuleErrors(out: Out, path: string, rule: SuccessPolicyRule, completions: number): void {
  const { succeededIndexes, succeededCount } = rule;
  if (!isSet(succeededIndexes) && !isSet(succeededCount)) {
    out.push(field.required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  // Invalid indexes count as none.
  let total = 0;
  if (isSet(succeededIndexes)) {
    const at = `${path}.succeededIndexes`;
    if (byteLength(succeededIndexes ?? '') > longestIndexes) out.push(field.tooLong(at, longestIndexes));
    const indexes = parseIndexes(succeededIndexes ?? '', completions);
    if (typeof indexes === 'string') {
      out.push(field.invalid(at, succeededIndexes ?? '', `error parsing succeededIndexes: ${indexes}`));
    } else total = countIndexes(indexes);
  }
  if (!isSet(succeededCount)) return;
  const at = `${path}.succeededCount`;
  const count = succeededCount ?? 0;
  nonNegative(out, at, succeededCount);
  if (count > completions) {
    const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
    out.push(field.invalid(at, count, detail));
  }
  if (isSet(succeededIndexes) && count > total) {
    const detail = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    out.push(field.invalid(at, count, detail));
  }
}

/** Checks when an Indexed Job counts as succeeded before all indexes have completed. */
export function successPolicyErrors(out: Out, path: string, spec: JobSpec): void {
  if (!isSet(spec.successPolicy)) return;
  const at = `${path}.successPolicy`;
  if (spec.completionMode !== 'Indexed') {
    const shown = goValue('batch.v1.SuccessPolicy', spec.successPolicy);
    out.push(field.invalid(at, shown, 'requires indexed completion mode'));
    return;
  }
  const rules = spec.successPolicy?.rules ?? [];
  if (rules.length === 0) {
    const detail = 'at least one rules must be specified when the successPolicy is specified';
    out.push(field.required(`${at}.rules`, detail));
  }
  if (rules.length > mostRules) out.push(field.tooMany(`${at}.rules`, rules.length, mostRules));
  checkEach(out, rules, (out, rule, i) => {
    successRuleErrors(out, `${at}.rules[${i}]`, rule, spec.completions ?? 0);
  });
}

import type { JobSpec } from '@apichain/api/batch/v1';
import { byteLength, field } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { domainPrefixedPath } from '../common/formats.ts';
import { choice, nonNegatives, type Out } from '../common/rules.ts';
import type { Capabilities } from '../pod/context.ts';
import { podTemplateErrors } from '../pod/template.ts';
import { podFailurePolicyErrors, successPolicyErrors } from './job-policies.ts';

const longestManager = 63;
const mostParallel = 100_000;
const manyCompletions = 100_000;
const mostWithMany = 10_000;

function limitErrors(out: Out, path: string, value: number | undefined, limit: number, detail: string): void {
  if (isSet(value) && (value ?? 0) > limit) out.push(field.invalid(path, value ?? 0, detail));
}

/** Checks that an Indexed Job is small enough to be tracked by index. */
function indexedErrors(out: Out, path: string, spec: JobSpec): void {
  const most = `${path}.maxFailedIndexes`;
  if (!isSet(spec.completions)) {
    out.push(field.required(`${path}.completions`, 'when completion mode is Indexed'));
  }
  const parallelDetail = `must be less than or equal to ${mostParallel} when completion mode is Indexed`;
  limitErrors(out, `${path}.parallelism`, spec.parallelism, mostParallel, parallelDetail);
  if (isSet(spec.completions)) {
    limitErrors(out, most, spec.maxFailedIndexes, spec.completions ?? 0, 'must be less than or equal to completions');
  }
  limitErrors(out, most, spec.maxFailedIndexes, mostParallel, `must be less than or equal to ${mostParallel}`);
  if ((spec.completions ?? 0) <= manyCompletions || !isSet(spec.backoffLimitPerIndex)) return;
  if (!isSet(spec.maxFailedIndexes)) {
    out.push(field.required(most, `must be specified when completions is above ${manyCompletions}`));
  }
  const detail = `must be less than or equal to ${mostWithMany} when completions are above ${manyCompletions} and used with backoff limit per index`;
  limitErrors(out, `${path}.parallelism`, spec.parallelism, mostWithMany, detail);
  limitErrors(out, most, spec.maxFailedIndexes, mostWithMany, detail);
}

function completionModeErrors(out: Out, path: string, spec: JobSpec): void {
  const mode = spec.completionMode;
  choice(out, `${path}.completionMode`, mode, ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed') indexedErrors(out, path, spec);
  if (isSet(mode) && mode !== 'NonIndexed') return;
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    if (isSet(spec[name])) {
      out.push(field.invalid(`${path}.${name}`, spec[name], 'requires indexed completion mode'));
    }
  }
}

function restartPolicyErrors(out: Out, path: string, spec: JobSpec): void {
  const policy = spec.template?.spec?.restartPolicy ?? '';
  const at = `${path}.template.spec.restartPolicy`;
  if (policy === '' || policy === 'Always') out.push(field.required(at, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') {
    out.push(field.notSupported(at, policy, ['OnFailure', 'Never']));
  } else if (isSet(spec.podFailurePolicy) && policy !== 'Never') {
    out.push(field.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}

function replacementErrors(out: Out, path: string, spec: JobSpec): void {
  if (!isSet(spec.podReplacementPolicy)) return;
  const choices = isSet(spec.podFailurePolicy) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  choice(out, `${path}.podReplacementPolicy`, spec.podReplacementPolicy, choices);
}

/** Checks the spec of a Job or of a CronJob's template at `path`. */
export function jobSpecErrors(
  out: Out,
  path: string,
  spec: JobSpec,
  old: JobSpec | undefined,
  capabilities: Capabilities,
): void {
  nonNegatives(out, path, spec, [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ]);
  if (isSet(spec.maxFailedIndexes) && !isSet(spec.backoffLimitPerIndex)) {
    out.push(field.required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (isSet(spec.managedBy)) {
    domainPrefixedPath(out, `${path}.managedBy`, spec.managedBy);
    if (byteLength(spec.managedBy ?? '') > longestManager) {
      out.push(field.tooLong(`${path}.managedBy`, longestManager));
    }
  }
  completionModeErrors(out, path, spec);
  podFailurePolicyErrors(out, path, spec);
  successPolicyErrors(out, path, spec);
  replacementErrors(out, path, spec);
  podTemplateErrors(out, `${path}.template`, spec.template, old?.template, capabilities);
  restartPolicyErrors(out, path, spec);
}

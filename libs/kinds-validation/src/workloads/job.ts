import type { Affinity, Container, PodSpec } from '@apichain/api/core/v1';
import type { Job, JobSpec } from '@apichain/api/batch/v1';
import { field, isDNS1123Label, type FieldError, lookupTable, findCondition } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { collect, immutable, immutableDetail, type Out, shownMap, shownMember } from '../common/rules.ts';
import { labelSelectorErrors, matchingForm, shownSelector } from '../common/selectors.ts';
import { mismatch } from './controllers.ts';
import type { Capabilities } from '../pod/context.ts';
import { jobSpecErrors } from './job-spec.ts';

const prefixedLabels = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name'];

function podNameErrors(out: Out, job: Job, spec: JobSpec): void {
  const completions = spec.completions ?? 0;
  if (spec.completionMode !== 'Indexed' || completions <= 0) return;
  const name = job.metadata.name ?? '';
  const last = `${name}-${completions - 1}`;
  if (isDNS1123Label(last).length > 0) {
    out.push(field.invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`));
  }
}

function expectLabel(out: Out, labels: Record<string, string> | undefined, key: string, expected: string): void {
  const path = 'spec.template.metadata.labels';
  const value = (labels ?? {})[key];
  if (value === undefined) out.push(field.required(`${path}[${key}]`, `must be '${expected}'`));
  else if (value !== expected) out.push(field.invalid(`${path}[${key}]`, shownMap(labels), `must be '${expected}'`));
}

/** A generated selector must select the job's own pods. `prefixed` = the labels with a domain are required too. */
function generatedSelectorErrors(out: Out, job: Job, prefixed: boolean): void {
  const spec = job.spec ?? {};
  if (spec.manualSelector === true || !isSet(spec.selector)) return;
  const { uid = '', name = '' } = job.metadata;
  if (uid === '') out.push(field.required('metadata.uid'));
  const labels = spec.template?.metadata?.labels;
  expectLabel(out, labels, 'controller-uid', uid);
  expectLabel(out, labels, 'job-name', name);
  if (prefixed) {
    expectLabel(out, labels, 'batch.kubernetes.io/controller-uid', uid);
    expectLabel(out, labels, 'batch.kubernetes.io/job-name', name);
  }
  const expected: Record<string, string> = { 'controller-uid': uid, 'job-name': name };
  if (prefixed) {
    expected['batch.kubernetes.io/controller-uid'] = uid;
    expected['batch.kubernetes.io/job-name'] = name;
  }
  const selector = matchingForm(spec.selector);
  if (selector !== undefined && !selector.matches(expected)) {
    out.push(field.invalid('spec.selector', shownSelector(spec.selector), '`selector` not auto-generated'));
  }
}

function selectorErrors(out: Out, spec: JobSpec): void {
  if (!isSet(spec.selector)) out.push(field.required('spec.selector'));
  else labelSelectorErrors(out, 'spec.selector', spec.selector);
  const selector = matchingForm(spec.selector);
  const metadata = spec.template?.metadata;
  if (selector !== undefined && !selector.matches(metadata?.labels ?? {})) {
    out.push(field.invalid('spec.template.metadata.labels', shownMember(metadata, 'labels'), mismatch));
  }
}

function jobErrors(out: Out, job: Job, old: Job | undefined, capabilities: Capabilities): void {
  const spec = job.spec ?? {};
  const stored: Record<string, string> = old?.spec?.template?.metadata?.labels ?? {};
  const prefixed = old === undefined || prefixedLabels.every((name) => stored[name] !== undefined);
  generatedSelectorErrors(out, job, prefixed);
  jobSpecErrors(out, 'spec', spec, old === undefined ? undefined : (old.spec ?? {}), capabilities);
  selectorErrors(out, spec);
  podNameErrors(out, job, spec);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/job/ */
export const validateJob = (job: Job, old: Job | undefined, capabilities: Capabilities): FieldError[] =>
  collect((out) => jobErrors(out, job, old, capabilities));

function completionChangeErrors(out: Out, spec: JobSpec, old: JobSpec): void {
  if (spec.completionMode !== 'Indexed') {
    immutable(out, 'spec.completions', spec.completions, old.completions);
    return;
  }
  if (semanticEqual(spec.completions, old.completions)) return;
  if (!isSet(spec.completions) || (spec.completions ?? 0) === (spec.parallelism ?? 0)) return;
  const detail = 'can only be modified in tandem with spec.parallelism';
  out.push(field.invalid('spec.completions', spec.completions, detail));
}

/** Whether a job is suspended and has no pods. The scheduling directives and resources of such a job can still change. */
function isIdle(job: Job): boolean {
  const status = job.status ?? {};
  if (job.spec?.suspend !== true || (status.active ?? 0) !== 0) return false;
  return !isSet(status.startTime) || findCondition(status.conditions, 'Suspended')?.status === 'True';
}

/** The stored containers with the resources of the new containers at the same index and with the same name. */
function withResourcesOf<T extends Container[] | null | undefined>(
  stored: T,
  containers: readonly Container[] | null | undefined,
): T | Container[] {
  const now = containers ?? [];
  if ((stored ?? []).length !== now.length) return stored;
  return (stored ?? []).map((container, i) =>
    container.name === now[i]?.name ? defined({ ...container, resources: now[i]?.resources }) : container,
  );
}

/** Removes members that are undefined; changes its argument. */
function defined<T extends object>(members: T): T {
  for (const name of Object.keys(members) as (keyof T)[]) if (members[name] === undefined) delete members[name];
  return members;
}

/** The stored affinity with the new node affinity. */
function withNodeAffinityOf(stored: Affinity | undefined, affinity: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: _, ...others } = stored ?? {};
  if (isSet(affinity)) return defined({ ...others, nodeAffinity: affinity.nodeAffinity });
  return Object.values(others).some(isSet) ? others : undefined;
}

/** The stored pod spec with all fields that an idle job may change taken from the new one. */
const withChangeableOf = (stored: PodSpec, spec: PodSpec): PodSpec =>
  defined<PodSpec>({
    ...stored,
    affinity: withNodeAffinityOf(stored.affinity, spec.affinity),
    nodeSelector: spec.nodeSelector,
    tolerations: spec.tolerations,
    schedulingGates: spec.schedulingGates,
    containers: withResourcesOf(stored.containers, spec.containers),
    initContainers: withResourcesOf(stored.initContainers, spec.initContainers),
  });

/** For an idle job only the pod spec is compared: the metadata of the template may change. */
function templateChangeErrors(out: Out, job: Job, old: Job): void {
  const template = job.spec?.template ?? {};
  const stored = old.spec?.template ?? {};
  if (!isIdle(old)) {
    if (semanticEqual(template, stored)) return;
    out.push(field.invalid('spec.template', goValue('core.v1.PodTemplateSpec', template), immutableDetail));
    return;
  }
  const spec = template.spec ?? {};
  if (semanticEqual(spec, withChangeableOf(stored.spec ?? {}, spec))) return;
  out.push(field.invalid('spec.template.spec', goValue('core.v1.PodSpec', spec), immutableDetail));
}

const shownTypes: Readonly<Record<string, string>> = lookupTable({
  podFailurePolicy: 'batch.v1.PodFailurePolicy',
  successPolicy: 'batch.v1.SuccessPolicy',
});

/** The checks of an update that follow the checks of a new job: the spec once more, then immutable fields. */
export function validateJobUpdate(job: Job, old: Job, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    const spec = job.spec ?? {};
    const stored = old.spec ?? {};
    jobSpecErrors(out, 'spec', spec, stored, capabilities);
    selectorErrors(out, spec);
    completionChangeErrors(out, spec, stored);
    immutable(out, 'spec.selector', spec.selector, stored.selector, shownSelector(spec.selector));
    templateChangeErrors(out, job, old);
    for (const name of [
      'completionMode',
      'podFailurePolicy',
      'backoffLimitPerIndex',
      'managedBy',
      'successPolicy',
    ] as const) {
      const type = shownTypes[name];
      const shown = type === undefined || !isSet(spec[name]) ? spec[name] : goValue(type, spec[name]);
      immutable(out, `spec.${name}`, spec[name], stored[name], shown);
    }
  });
}

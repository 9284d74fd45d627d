import type { DaemonSet, Deployment, StatefulSet } from '@apichain/api/apps/v1';
import type { Job } from '@apichain/api/batch/v1';
import type { PodTemplateSpec, ReplicationController } from '@apichain/api/core/v1';
import { deepClone, isSet, type ObjectMeta } from '@apichain/meta';
import type { ComputedRules } from './rules.ts';

/** The parameters of a rolling update, if the strategy is RollingUpdate. */
function deploymentStrategy(deployment: Deployment): void {
  const strategy = deployment.spec?.strategy;
  if (strategy?.type !== 'RollingUpdate') return;
  const rolling = (strategy.rollingUpdate ??= {});
  rolling.maxUnavailable ??= '25%';
  rolling.maxSurge ??= '25%';
}

function daemonSetStrategy(daemonSet: DaemonSet): void {
  const strategy = daemonSet.spec?.updateStrategy;
  if (strategy?.type !== 'RollingUpdate') return;
  const rolling = (strategy.rollingUpdate ??= {});
  rolling.maxUnavailable ??= 1;
  rolling.maxSurge ??= 0;
}

/** `rollingUpdate` is created only for a StatefulSet whose strategy type is being defaulted. */
function statefulSetStrategy(statefulSet: StatefulSet): void {
  const strategy = statefulSet.spec?.updateStrategy;
  if (isSet(strategy) && (strategy.type ?? '') === '') strategy.rollingUpdate ??= {};
}

function statefulSetPartition(statefulSet: StatefulSet): void {
  const strategy = statefulSet.spec?.updateStrategy;
  if (strategy?.type === 'RollingUpdate' && isSet(strategy.rollingUpdate)) strategy.rollingUpdate.partition ??= 0;
}

/** A kind with a pod template. */
interface Templated {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly template?: PodTemplateSpec };
}

const hasEntries = (map: Readonly<Record<string, string>> | null | undefined): boolean =>
  Object.keys(map ?? {}).length > 0;
const templateLabels = ({ spec }: Templated): Record<string, string> | undefined => spec?.template?.metadata?.labels;

function labelsFromTemplate(workload: ReplicationController): void {
  const labels = templateLabels(workload);
  const { metadata } = workload;
  if (isSet(labels) && !hasEntries(metadata.labels)) metadata.labels = deepClone(labels);
}

/** Shares the map object on purpose: labels generated later for the template of a job also appear in the job's labels if they came from there. */
function labelsOfTemplate(job: Job): void {
  const labels = templateLabels(job);
  const { metadata } = job;
  if (isSet(labels) && !hasEntries(metadata.labels)) metadata.labels = labels;
}

function selectorFromTemplate(controller: ReplicationController): void {
  const labels = templateLabels(controller);
  const { spec } = controller;
  if (isSet(spec) && isSet(labels) && !hasEntries(spec.selector)) spec.selector = deepClone(labels);
}

function jobCompletions(job: Job): void {
  const spec = job.spec ?? {};
  if (!isSet(spec.completions) && !isSet(spec.parallelism)) spec.completions = 1;
}

const maxInt32 = 2147483647;

function jobPolicies(job: Job): void {
  const spec = job.spec ?? {};
  spec.backoffLimit ??= isSet(spec.backoffLimitPerIndex) ? maxInt32 : 6;
  spec.podReplacementPolicy ??= isSet(spec.podFailurePolicy) ? 'Failed' : 'TerminatingOrFailed';
}

export const workloadRules: ComputedRules = {
  'apps.v1.Deployment': [{ compute: deploymentStrategy, order: 3 }],
  'apps.v1.DaemonSet': [{ compute: daemonSetStrategy, order: 3 }],
  'apps.v1.StatefulSet': [
    { compute: statefulSetStrategy, order: 1 },
    { compute: statefulSetPartition, order: 3 },
  ],
  'core.v1.ReplicationController': [
    { compute: labelsFromTemplate, order: 1 },
    { compute: selectorFromTemplate, order: 1 },
  ],
  'batch.v1.Job': [{ compute: jobCompletions, order: 1 }, { compute: jobPolicies }, { compute: labelsOfTemplate }],
};

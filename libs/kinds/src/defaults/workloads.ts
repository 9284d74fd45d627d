import type { ComputedRule } from '@apichain/scheme';
import { deepClone } from '@apichain/meta';
import { at, ensureRecord, isRecord, isSet, record, text, type Plain } from '../fields.ts';

const setIfAbsent = (parent: Plain, name: string, value: unknown): void => {
  if (!isSet(parent[name])) parent[name] = value;
};

/** A rolling update of `spec.<strategy>` with the parameters it goes by. */
const rollingUpdate =
  (strategyName: string, parameters: Plain): ComputedRule['compute'] =>
  (workload) => {
    const strategy = record(at(workload['spec'], strategyName));
    if (strategy.type !== 'RollingUpdate') return;
    const rolling = ensureRecord(strategy, 'rollingUpdate');
    for (const [name, value] of Object.entries(parameters)) setIfAbsent(rolling, name, value);
  };

/** Only a StatefulSet whose strategy type is being defaulted gets the parameters object. */
function statefulSetStrategy(statefulSet: Plain): void {
  const strategy = record(at(statefulSet.spec, 'updateStrategy'));
  if (text(strategy.type) === '') setIfAbsent(strategy, 'rollingUpdate', {});
}

function statefulSetPartition(statefulSet: Plain): void {
  const strategy = record(at(statefulSet.spec, 'updateStrategy'));
  if (strategy.type === 'RollingUpdate' && isRecord(strategy.rollingUpdate)) {
    setIfAbsent(strategy.rollingUpdate, 'partition', 0);
  }
}

const hasEntries = (map: unknown): boolean => Object.keys(record(map)).length > 0;
const templateLabels = (workload: Plain): unknown => at(workload.spec, 'template', 'metadata', 'labels');

function labelsFromTemplate(workload: Plain): void {
  const labels = templateLabels(workload);
  const metadata = record(workload.metadata);
  if (isRecord(labels) && !hasEntries(metadata.labels)) metadata.labels = deepClone(labels);
}

/** The very map: labels that are generated for the template of a job show in those that it has from there, and in no others. */
function labelsOfTemplate(job: Plain): void {
  const labels = templateLabels(job);
  const metadata = record(job.metadata);
  if (isRecord(labels) && !hasEntries(metadata.labels)) metadata.labels = labels;
}

function selectorFromTemplate(controller: Plain): void {
  const labels = templateLabels(controller);
  const spec = record(controller.spec);
  if (isRecord(labels) && !hasEntries(spec.selector)) spec.selector = deepClone(labels);
}

function jobCompletions(job: Plain): void {
  const spec = record(job.spec);
  if (!isSet(spec.completions) && !isSet(spec.parallelism)) spec.completions = 1;
}

const maxInt32 = 2147483647;

function jobPolicies(job: Plain): void {
  const spec = record(job.spec);
  setIfAbsent(spec, 'backoffLimit', isSet(spec.backoffLimitPerIndex) ? maxInt32 : 6);
  setIfAbsent(spec, 'podReplacementPolicy', isSet(spec.podFailurePolicy) ? 'Failed' : 'TerminatingOrFailed');
}

export const workloadRules: Readonly<Record<string, readonly ComputedRule[]>> = {
  'apps.v1.Deployment': [{ compute: rollingUpdate('strategy', { maxUnavailable: '25%', maxSurge: '25%' }), order: 3 }],
  'apps.v1.DaemonSet': [{ compute: rollingUpdate('updateStrategy', { maxUnavailable: 1, maxSurge: 0 }), order: 3 }],
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

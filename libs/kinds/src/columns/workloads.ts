import { currentTime } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
import { at, integer, isSet, text } from '../fields.ts';
import {
  ageAt,
  asText,
  booleanAt,
  type Cell,
  type Cells,
  conditionOf,
  containersAt,
  countAt,
  integerAt,
  labelsAt,
  selectorAt,
  selectorText,
  textAt,
} from './cells.ts';
import { humanDuration } from './duration.ts';
import { hpaTargets } from './hpa.ts';

const template = (path: string): Cells => ({
  Containers: containersAt(path, 'name'),
  Images: containersAt(path, 'image'),
});

const workload: Cells = { ...template('spec.template.spec'), Selector: selectorAt('spec.selector') };

const replicas: Cells = {
  Desired: integerAt('spec.replicas'),
  Current: integerAt('status.replicas'),
  Ready: integerAt('status.readyReplicas'),
};

const readyOfDesired: Cell = (object) =>
  `${integer(at(object.status, 'readyReplicas'))}/${integer(at(object.spec, 'replicas'))}`;

function jobStatus(job: KubeObject): string {
  const is = (type: string) => conditionOf(job, type)?.status === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (isSet(job.metadata.deletionTimestamp)) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function jobCompletions(job: KubeObject): string {
  const succeeded = integer(at(job.status, 'succeeded'));
  const completions = at(job.spec, 'completions');
  if (isSet(completions)) return `${succeeded}/${integer(completions)}`;
  const parallelism = integer(at(job.spec, 'parallelism'));
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject): string {
  const start = Date.parse(text(at(job.status, 'startTime')));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(text(at(job.status, 'completionTime')));
  return humanDuration((Number.isNaN(end) ? currentTime() : end) - start);
}

function controllerOwner(object: KubeObject): string {
  const owner = (object.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

function podGroupStatus(group: KubeObject): string {
  const disrupted = conditionOf(group, 'DisruptionTarget');
  if (disrupted !== undefined) return text(disrupted.reason);
  const scheduled = conditionOf(group, 'PodGroupScheduled');
  if (scheduled === undefined) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}

/** Kinds that run pods, and what bears on how they run. By `Kind` or `Kind.group` and column name. */
export const workloadsCells: Readonly<Record<string, Cells>> = {
  PodTemplate: { ...template('template.spec'), 'Pod Labels': labelsAt('template.metadata.labels') },
  'PodDisruptionBudget.policy': {
    'Min Available': asText('spec.minAvailable', 'N/A'),
    'Max Unavailable': asText('spec.maxUnavailable', 'N/A'),
    'Allowed Disruptions': integerAt('status.disruptionsAllowed'),
  },
  ReplicationController: { ...workload, ...replicas, Selector: labelsAt('spec.selector') },
  'ReplicaSet.apps': { ...workload, ...replicas },
  'DaemonSet.apps': {
    ...workload,
    Desired: integerAt('status.desiredNumberScheduled'),
    Current: integerAt('status.currentNumberScheduled'),
    Ready: integerAt('status.numberReady'),
    'Up-to-date': integerAt('status.updatedNumberScheduled'),
    Available: integerAt('status.numberAvailable'),
    'Node Selector': labelsAt('spec.template.spec.nodeSelector'),
  },
  'Job.batch': { ...workload, Status: jobStatus, Completions: jobCompletions, Duration: jobDuration },
  'CronJob.batch': {
    ...template('spec.jobTemplate.spec.template.spec'),
    Selector: selectorAt('spec.jobTemplate.spec.selector'),
    Timezone: textAt('spec.timeZone', '<none>'),
    Suspend: (cronJob) => {
      const suspend = at(cronJob.spec, 'suspend');
      return typeof suspend === 'boolean' ? (suspend ? 'True' : 'False') : '<unset>';
    },
    Active: countAt('status.active'),
    'Last Schedule': ageAt('status.lastScheduleTime', '<none>'),
  },
  'StatefulSet.apps': { ...template('spec.template.spec'), Ready: readyOfDesired },
  'Deployment.apps': {
    ...template('spec.template.spec'),
    Ready: readyOfDesired,
    'Up-to-date': integerAt('status.updatedReplicas'),
    Available: integerAt('status.availableReplicas'),
    Selector: (deployment) => selectorText(at(deployment.spec, 'selector'), '<invalid>', ''),
  },
  'HorizontalPodAutoscaler.autoscaling': {
    Reference: (hpa) =>
      `${text(at(hpa.spec, 'scaleTargetRef', 'kind'))}/${text(at(hpa.spec, 'scaleTargetRef', 'name'))}`,
    Targets: hpaTargets,
    MinPods: asText('spec.minReplicas', '<unset>'),
    MaxPods: integerAt('spec.maxReplicas'),
    Replicas: integerAt('status.currentReplicas'),
  },
  'ControllerRevision.apps': { Controller: controllerOwner, Revision: integerAt('revision') },
  'PriorityClass.scheduling.k8s.io': {
    Value: integerAt('value'),
    'Global-Default': booleanAt('globalDefault'),
    PreemptionPolicy: textAt('preemptionPolicy'),
  },
  'Scale.autoscaling': { Desired: integerAt('spec.replicas'), Available: integerAt('status.replicas') },
  'PodGroup.scheduling.k8s.io': {
    Policy: (group) => (isSet(at(group.spec, 'schedulingPolicy', 'gang')) ? 'Gang' : 'Basic'),
    Workload: textAt('spec.podGroupTemplateRef.workload.workloadName', '<none>'),
    Status: podGroupStatus,
  },
};

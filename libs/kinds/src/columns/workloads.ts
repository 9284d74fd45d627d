import type { Job } from '@apichain/api/batch/v1';
import type { PodSpec, PodTemplateSpec } from '@apichain/api/core/v1';
import type { PodGroup } from '@apichain/api/scheduling/v1alpha2';
import { currentTime, isSet } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
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
  type CellTable,
} from './cells.ts';
import { humanDuration } from '@apichain/go-text';
import { hpaTargets } from './hpa.ts';

/** Columns about the containers of a pod template. */
const templateCells = <T extends KubeObject>(read: (object: T) => PodSpec | undefined): Cells<T> => ({
  Containers: containersAt(read, 'name'),
  Images: containersAt(read, 'image'),
});

/** Kinds with replicas of a pod. */
interface Replicated extends KubeObject {
  spec?: { replicas?: number; template?: PodTemplateSpec };
  status?: { replicas?: number; readyReplicas?: number };
}

const replicas: Cells<Replicated> = {
  ...templateCells<Replicated>((object) => object.spec?.template?.spec),
  Desired: integerAt((object) => object.spec?.replicas),
  Current: integerAt((object) => object.status?.replicas),
  Ready: integerAt((object) => object.status?.readyReplicas),
};

const readyOfDesired: Cell<Replicated> = (object) =>
  `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`;

function jobStatus(job: Job): string {
  const is = (type: string) => conditionOf(job, type)?.status === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (isSet(job.metadata.deletionTimestamp)) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function jobCompletions(job: Job): string {
  const succeeded = job.status?.succeeded ?? 0;
  const completions = job.spec?.completions;
  if (isSet(completions)) return `${succeeded}/${completions}`;
  const parallelism = job.spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: Job): string {
  const start = Date.parse(job.status?.startTime ?? '');
  if (Number.isNaN(start)) return '';
  const end = Date.parse(job.status?.completionTime ?? '');
  return humanDuration((Number.isNaN(end) ? currentTime() : end) - start);
}

function controllerOwner(object: KubeObject): string {
  const owner = (object.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

function podGroupStatus(group: PodGroup): string {
  const disrupted = conditionOf(group, 'DisruptionTarget');
  if (disrupted !== undefined) return disrupted.reason ?? '';
  const scheduled = conditionOf(group, 'PodGroupScheduled');
  if (scheduled === undefined) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}

/** Kinds that run pods, and kinds that affect how pods run, by `Kind` or `Kind.group` and column name. */
export const workloadsCells: CellTable = {
  PodTemplate: {
    ...templateCells((object) => object.template?.spec),
    'Pod Labels': labelsAt((object) => object.template?.metadata?.labels),
  },
  'PodDisruptionBudget.policy': {
    'Min Available': asText((object) => object.spec?.minAvailable, 'N/A'),
    'Max Unavailable': asText((object) => object.spec?.maxUnavailable, 'N/A'),
    'Allowed Disruptions': integerAt((object) => object.status?.disruptionsAllowed),
  },
  ReplicationController: { ...replicas, Selector: labelsAt((object) => object.spec?.selector) },
  'ReplicaSet.apps': { ...replicas, Selector: selectorAt((object) => object.spec?.selector) },
  'DaemonSet.apps': {
    ...templateCells((object) => object.spec?.template?.spec),
    Selector: selectorAt((object) => object.spec?.selector),
    Desired: integerAt((object) => object.status?.desiredNumberScheduled),
    Current: integerAt((object) => object.status?.currentNumberScheduled),
    Ready: integerAt((object) => object.status?.numberReady),
    'Up-to-date': integerAt((object) => object.status?.updatedNumberScheduled),
    Available: integerAt((object) => object.status?.numberAvailable),
    'Node Selector': labelsAt((object) => object.spec?.template?.spec?.nodeSelector),
  },
  'Job.batch': {
    ...templateCells((object) => object.spec?.template?.spec),
    Selector: selectorAt((object) => object.spec?.selector),
    Status: jobStatus,
    Completions: jobCompletions,
    Duration: jobDuration,
  },
  'CronJob.batch': {
    ...templateCells((object) => object.spec?.jobTemplate?.spec?.template?.spec),
    Selector: selectorAt((object) => object.spec?.jobTemplate?.spec?.selector),
    Timezone: textAt((object) => object.spec?.timeZone, '<none>'),
    Suspend: (cronJob) => {
      const suspend = cronJob.spec?.suspend;
      return typeof suspend === 'boolean' ? (suspend ? 'True' : 'False') : '<unset>';
    },
    Active: countAt((object) => object.status?.active),
    'Last Schedule': ageAt((object) => object.status?.lastScheduleTime, '<none>'),
  },
  'StatefulSet.apps': { ...templateCells((object) => object.spec?.template?.spec), Ready: readyOfDesired },
  'Deployment.apps': {
    ...templateCells((object) => object.spec?.template?.spec),
    Ready: readyOfDesired,
    'Up-to-date': integerAt((object) => object.status?.updatedReplicas),
    Available: integerAt((object) => object.status?.availableReplicas),
    Selector: (deployment) => selectorText(deployment.spec?.selector, '<invalid>', ''),
  },
  'HorizontalPodAutoscaler.autoscaling': {
    Reference: (hpa) => `${hpa.spec?.scaleTargetRef?.kind ?? ''}/${hpa.spec?.scaleTargetRef?.name ?? ''}`,
    Targets: hpaTargets,
    MinPods: asText((object) => object.spec?.minReplicas, '<unset>'),
    MaxPods: integerAt((object) => object.spec?.maxReplicas),
    Replicas: integerAt((object) => object.status?.currentReplicas),
  },
  'ControllerRevision.apps': { Controller: controllerOwner, Revision: integerAt((object) => object.revision) },
  'PriorityClass.scheduling.k8s.io': {
    Value: integerAt((object) => object.value),
    'Global-Default': booleanAt((object) => object.globalDefault),
    PreemptionPolicy: textAt((object) => object.preemptionPolicy),
  },
  'Scale.autoscaling': {
    Desired: integerAt((object) => object.spec?.replicas),
    Available: integerAt((object) => object.status?.replicas),
  },
  'PodGroup.scheduling.k8s.io': {
    Policy: (group) => (isSet(group.spec?.schedulingPolicy?.gang) ? 'Gang' : 'Basic'),
    Workload: textAt((object) => object.spec?.podGroupTemplateRef?.workload?.workloadName, '<none>'),
    Status: podGroupStatus,
  },
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Time } from '../../scalars.ts';

export type CompletionMode = string;

export type ConcurrencyPolicy = string;

export type CronJob = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: CronJobSpec;
  status?: CronJobStatus;
  [emptied]?: readonly string[];
};

export type CronJobList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: CronJob[] | null;
  [emptied]?: readonly string[];
};

export type CronJobSpec = {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: Int64;
  /** `Allow`, `Forbid`, `Replace` */
  concurrencyPolicy?: ConcurrencyPolicy;
  suspend?: boolean;
  jobTemplate?: JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
  [emptied]?: readonly string[];
};

export type CronJobStatus = {
  active?: core_v1.ObjectReference[];
  lastScheduleTime?: Time;
  lastSuccessfulTime?: Time;
  [emptied]?: readonly string[];
};

export type Job = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: JobSpec;
  status?: JobStatus;
  [emptied]?: readonly string[];
};

export type JobCondition = {
  type?: JobConditionType;
  status?: core_v1.ConditionStatus;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type JobConditionType = string;

export type JobList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Job[] | null;
  [emptied]?: readonly string[];
};

export type JobSpec = {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: Int64;
  podFailurePolicy?: PodFailurePolicy;
  successPolicy?: SuccessPolicy;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: meta_v1.LabelSelector;
  manualSelector?: boolean;
  template?: core_v1.PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
  /** `NonIndexed`, `Indexed` */
  completionMode?: CompletionMode;
  suspend?: boolean;
  /** `TerminatingOrFailed`, `Failed` */
  podReplacementPolicy?: PodReplacementPolicy;
  managedBy?: string;
  [emptied]?: readonly string[];
};

export type JobStatus = {
  conditions?: JobCondition[];
  startTime?: Time;
  completionTime?: Time;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: UncountedTerminatedPods;
  ready?: number;
  [emptied]?: readonly string[];
};

export type JobTemplateSpec = {
  metadata?: ObjectMeta;
  spec?: JobSpec;
  [emptied]?: readonly string[];
};

export type PodFailurePolicy = {
  rules?: PodFailurePolicyRule[] | null;
  [emptied]?: readonly string[];
};

export type PodFailurePolicyAction = string;

export type PodFailurePolicyOnExitCodesOperator = string;

export type PodFailurePolicyOnExitCodesRequirement = {
  containerName?: string;
  /** `In`, `NotIn` */
  operator?: PodFailurePolicyOnExitCodesOperator;
  values?: number[] | null;
  [emptied]?: readonly string[];
};

export type PodFailurePolicyOnPodConditionsPattern = {
  type?: core_v1.PodConditionType;
  status?: core_v1.ConditionStatus;
  [emptied]?: readonly string[];
};

export type PodFailurePolicyRule = {
  /** `FailJob`, `FailIndex`, `Ignore`, `Count` */
  action?: PodFailurePolicyAction;
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
  [emptied]?: readonly string[];
};

export type PodReplacementPolicy = string;

export type SuccessPolicy = {
  rules?: SuccessPolicyRule[] | null;
  [emptied]?: readonly string[];
};

export type SuccessPolicyRule = {
  succeededIndexes?: string;
  succeededCount?: number;
  [emptied]?: readonly string[];
};

export type UncountedTerminatedPods = {
  succeeded?: string[];
  failed?: string[];
  [emptied]?: readonly string[];
};

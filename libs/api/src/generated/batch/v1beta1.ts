// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as batch_v1 from '../batch/v1.ts';
import type * as core_v1 from '../core/v1.ts';
import type { Int64, Time } from '../../scalars.ts';

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

export type JobTemplateSpec = {
  metadata?: ObjectMeta;
  spec?: batch_v1.JobSpec;
  [emptied]?: readonly string[];
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type BasicSchedulingPolicy = Record<string, never>;

export type DisruptionMode = string;

export type GangSchedulingPolicy = {
  minCount?: number;
};

export type PodGroup = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PodGroupSpec;
  status?: PodGroupStatus;
};

export type PodGroupList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PodGroup[] | null;
};

export type PodGroupResourceClaim = {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
};

export type PodGroupResourceClaimStatus = {
  name?: string;
  resourceClaimName?: string;
};

export type PodGroupSchedulingConstraints = {
  topology?: TopologyConstraint[];
};

export type PodGroupSchedulingPolicy = {
  basic?: BasicSchedulingPolicy;
  gang?: GangSchedulingPolicy;
};

export type PodGroupSpec = {
  podGroupTemplateRef?: PodGroupTemplateReference | null;
  schedulingPolicy?: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints;
  resourceClaims?: PodGroupResourceClaim[];
  /** `Pod`, `PodGroup` */
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
};

export type PodGroupStatus = {
  conditions?: meta_v1.Condition[];
  resourceClaimStatuses?: PodGroupResourceClaimStatus[];
};

export type PodGroupTemplate = {
  name?: string;
  schedulingPolicy?: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints | null;
  resourceClaims?: PodGroupResourceClaim[];
  /** `Pod`, `PodGroup` */
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
};

export type PodGroupTemplateReference = {
  workload?: WorkloadPodGroupTemplateReference | null;
};

export type TopologyConstraint = {
  key?: string;
};

export type TypedLocalObjectReference = {
  apiGroup?: string;
  kind?: string;
  name?: string;
};

export type Workload = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: WorkloadSpec;
};

export type WorkloadList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Workload[] | null;
};

export type WorkloadPodGroupTemplateReference = {
  workloadName?: string;
  podGroupTemplateName?: string;
};

export type WorkloadSpec = {
  controllerRef?: TypedLocalObjectReference;
  podGroupTemplates?: PodGroupTemplate[] | null;
};

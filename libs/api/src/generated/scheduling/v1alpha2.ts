// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type BasicSchedulingPolicy = Record<string, never>;

export type DisruptionMode = string;

export type GangSchedulingPolicy = {
  minCount?: number;
  [emptied]?: readonly string[];
};

export type PodGroup = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PodGroupSpec;
  status?: PodGroupStatus;
  [emptied]?: readonly string[];
};

export type PodGroupList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PodGroup[] | null;
  [emptied]?: readonly string[];
};

export type PodGroupResourceClaim = {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
  [emptied]?: readonly string[];
};

export type PodGroupResourceClaimStatus = {
  name?: string;
  resourceClaimName?: string;
  [emptied]?: readonly string[];
};

export type PodGroupSchedulingConstraints = {
  topology?: TopologyConstraint[];
  [emptied]?: readonly string[];
};

export type PodGroupSchedulingPolicy = {
  basic?: BasicSchedulingPolicy;
  gang?: GangSchedulingPolicy;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PodGroupStatus = {
  conditions?: meta_v1.Condition[];
  resourceClaimStatuses?: PodGroupResourceClaimStatus[];
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type PodGroupTemplateReference = {
  workload?: WorkloadPodGroupTemplateReference | null;
  [emptied]?: readonly string[];
};

export type TopologyConstraint = {
  key?: string;
  [emptied]?: readonly string[];
};

export type TypedLocalObjectReference = {
  apiGroup?: string;
  kind?: string;
  name?: string;
  [emptied]?: readonly string[];
};

export type Workload = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: WorkloadSpec;
  [emptied]?: readonly string[];
};

export type WorkloadList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Workload[] | null;
  [emptied]?: readonly string[];
};

export type WorkloadPodGroupTemplateReference = {
  workloadName?: string;
  podGroupTemplateName?: string;
  [emptied]?: readonly string[];
};

export type WorkloadSpec = {
  controllerRef?: TypedLocalObjectReference;
  podGroupTemplates?: PodGroupTemplate[] | null;
  [emptied]?: readonly string[];
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, IntOrString, RawExtension, Time } from '../../scalars.ts';

export type ControllerRevision = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  data?: RawExtension | null;
  revision?: Int64;
  [emptied]?: readonly string[];
};

export type ControllerRevisionList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ControllerRevision[] | null;
  [emptied]?: readonly string[];
};

export type DaemonSet = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
  [emptied]?: readonly string[];
};

export type DaemonSetCondition = {
  type?: DaemonSetConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type DaemonSetConditionType = string;

export type DaemonSetList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: DaemonSet[] | null;
  [emptied]?: readonly string[];
};

export type DaemonSetSpec = {
  selector?: meta_v1.LabelSelector | null;
  template?: core_v1.PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  [emptied]?: readonly string[];
};

export type DaemonSetStatus = {
  currentNumberScheduled?: number;
  numberMisscheduled?: number;
  desiredNumberScheduled?: number;
  numberReady?: number;
  observedGeneration?: Int64;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
  [emptied]?: readonly string[];
};

export type DaemonSetUpdateStrategy = {
  /** `RollingUpdate`, `OnDelete` */
  type?: DaemonSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateDaemonSet;
  [emptied]?: readonly string[];
};

export type DaemonSetUpdateStrategyType = string;

export type Deployment = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
  [emptied]?: readonly string[];
};

export type DeploymentCondition = {
  type?: DeploymentConditionType;
  status?: core_v1.ConditionStatus;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type DeploymentConditionType = string;

export type DeploymentList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Deployment[] | null;
  [emptied]?: readonly string[];
};

export type DeploymentSpec = {
  replicas?: number;
  selector?: meta_v1.LabelSelector | null;
  template?: core_v1.PodTemplateSpec;
  strategy?: DeploymentStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
  [emptied]?: readonly string[];
};

export type DeploymentStatus = {
  observedGeneration?: Int64;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  conditions?: DeploymentCondition[];
  collisionCount?: number;
  [emptied]?: readonly string[];
};

export type DeploymentStrategy = {
  /** `Recreate`, `RollingUpdate` */
  type?: DeploymentStrategyType;
  rollingUpdate?: RollingUpdateDeployment;
  [emptied]?: readonly string[];
};

export type DeploymentStrategyType = string;

export type PersistentVolumeClaimRetentionPolicyType = string;

export type PodManagementPolicyType = string;

export type ReplicaSet = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ReplicaSetSpec;
  status?: ReplicaSetStatus;
  [emptied]?: readonly string[];
};

export type ReplicaSetCondition = {
  type?: ReplicaSetConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type ReplicaSetConditionType = string;

export type ReplicaSetList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ReplicaSet[] | null;
  [emptied]?: readonly string[];
};

export type ReplicaSetSpec = {
  replicas?: number;
  minReadySeconds?: number;
  selector?: meta_v1.LabelSelector | null;
  template?: core_v1.PodTemplateSpec;
  [emptied]?: readonly string[];
};

export type ReplicaSetStatus = {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: Int64;
  conditions?: ReplicaSetCondition[];
  [emptied]?: readonly string[];
};

export type RollingUpdateDaemonSet = {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
  [emptied]?: readonly string[];
};

export type RollingUpdateDeployment = {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
  [emptied]?: readonly string[];
};

export type RollingUpdateStatefulSetStrategy = {
  partition?: number;
  maxUnavailable?: IntOrString;
  [emptied]?: readonly string[];
};

export type StatefulSet = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
  [emptied]?: readonly string[];
};

export type StatefulSetCondition = {
  type?: StatefulSetConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type StatefulSetConditionType = string;

export type StatefulSetList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: StatefulSet[] | null;
  [emptied]?: readonly string[];
};

export type StatefulSetOrdinals = {
  start?: number;
  [emptied]?: readonly string[];
};

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: PersistentVolumeClaimRetentionPolicyType;
  whenScaled?: PersistentVolumeClaimRetentionPolicyType;
  [emptied]?: readonly string[];
};

export type StatefulSetSpec = {
  replicas?: number;
  selector?: meta_v1.LabelSelector | null;
  template?: core_v1.PodTemplateSpec;
  volumeClaimTemplates?: core_v1.PersistentVolumeClaim[];
  serviceName?: string;
  /** `OrderedReady`, `Parallel` */
  podManagementPolicy?: PodManagementPolicyType;
  updateStrategy?: StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  ordinals?: StatefulSetOrdinals;
  [emptied]?: readonly string[];
};

export type StatefulSetStatus = {
  observedGeneration?: Int64;
  replicas?: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  availableReplicas?: number;
  [emptied]?: readonly string[];
};

export type StatefulSetUpdateStrategy = {
  /** `RollingUpdate`, `OnDelete` */
  type?: StatefulSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  [emptied]?: readonly string[];
};

export type StatefulSetUpdateStrategyType = string;

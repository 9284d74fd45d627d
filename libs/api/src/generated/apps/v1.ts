// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, IntOrString, RawExtension, Time } from '../../scalars.ts';

export type ControllerRevision = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  data?: RawExtension | null;
  revision?: Int64;
};

export type ControllerRevisionList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ControllerRevision[] | null;
};

export type DaemonSet = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
};

export type DaemonSetCondition = {
  type?: DaemonSetConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type DaemonSetConditionType = string;

export type DaemonSetList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: DaemonSet[] | null;
};

export type DaemonSetSpec = {
  selector?: meta_v1.LabelSelector | null;
  template?: core_v1.PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
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
};

export type DaemonSetUpdateStrategy = {
  /** `RollingUpdate`, `OnDelete` */
  type?: DaemonSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateDaemonSet;
};

export type DaemonSetUpdateStrategyType = string;

export type Deployment = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
};

export type DeploymentCondition = {
  type?: DeploymentConditionType;
  status?: core_v1.ConditionStatus;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type DeploymentConditionType = string;

export type DeploymentList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Deployment[] | null;
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
};

export type DeploymentStrategy = {
  /** `Recreate`, `RollingUpdate` */
  type?: DeploymentStrategyType;
  rollingUpdate?: RollingUpdateDeployment;
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
};

export type ReplicaSetCondition = {
  type?: ReplicaSetConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type ReplicaSetConditionType = string;

export type ReplicaSetList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ReplicaSet[] | null;
};

export type ReplicaSetSpec = {
  replicas?: number;
  minReadySeconds?: number;
  selector?: meta_v1.LabelSelector | null;
  template?: core_v1.PodTemplateSpec;
};

export type ReplicaSetStatus = {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: Int64;
  conditions?: ReplicaSetCondition[];
};

export type RollingUpdateDaemonSet = {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
};

export type RollingUpdateDeployment = {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
};

export type RollingUpdateStatefulSetStrategy = {
  partition?: number;
  maxUnavailable?: IntOrString;
};

export type StatefulSet = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
};

export type StatefulSetCondition = {
  type?: StatefulSetConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type StatefulSetConditionType = string;

export type StatefulSetList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: StatefulSet[] | null;
};

export type StatefulSetOrdinals = {
  start?: number;
};

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: PersistentVolumeClaimRetentionPolicyType;
  whenScaled?: PersistentVolumeClaimRetentionPolicyType;
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
};

export type StatefulSetUpdateStrategy = {
  /** `RollingUpdate`, `OnDelete` */
  type?: StatefulSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
};

export type StatefulSetUpdateStrategyType = string;

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Quantity, Time } from '../../scalars.ts';

export type ContainerResourceMetricSource = {
  name?: core_v1.ResourceName;
  target?: MetricTarget;
  container?: string;
};

export type ContainerResourceMetricStatus = {
  name?: core_v1.ResourceName;
  current?: MetricValueStatus;
  container?: string;
};

export type CrossVersionObjectReference = {
  kind?: string;
  name?: string;
  apiVersion?: string;
};

export type ExternalMetricSource = {
  metric?: MetricIdentifier;
  target?: MetricTarget;
};

export type ExternalMetricStatus = {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
};

export type HPAScalingPolicy = {
  type?: HPAScalingPolicyType;
  value?: number;
  periodSeconds?: number;
};

export type HPAScalingPolicyType = string;

export type HPAScalingRules = {
  stabilizationWindowSeconds?: number;
  selectPolicy?: ScalingPolicySelect;
  policies?: HPAScalingPolicy[];
  tolerance?: Quantity;
};

export type HorizontalPodAutoscaler = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
};

export type HorizontalPodAutoscalerBehavior = {
  scaleUp?: HPAScalingRules;
  scaleDown?: HPAScalingRules;
};

export type HorizontalPodAutoscalerCondition = {
  type?: HorizontalPodAutoscalerConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type HorizontalPodAutoscalerConditionType = string;

export type HorizontalPodAutoscalerList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: HorizontalPodAutoscaler[] | null;
};

export type HorizontalPodAutoscalerSpec = {
  scaleTargetRef?: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: MetricSpec[];
  behavior?: HorizontalPodAutoscalerBehavior;
};

export type HorizontalPodAutoscalerStatus = {
  observedGeneration?: Int64;
  lastScaleTime?: Time;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: MetricStatus[] | null;
  conditions?: HorizontalPodAutoscalerCondition[];
};

export type MetricIdentifier = {
  name?: string;
  selector?: meta_v1.LabelSelector;
};

export type MetricSourceType = string;

export type MetricSpec = {
  type?: MetricSourceType;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
};

export type MetricStatus = {
  type?: MetricSourceType;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
};

export type MetricTarget = {
  type?: MetricTargetType;
  value?: Quantity;
  averageValue?: Quantity;
  averageUtilization?: number;
};

export type MetricTargetType = string;

export type MetricValueStatus = {
  value?: Quantity;
  averageValue?: Quantity;
  averageUtilization?: number;
};

export type ObjectMetricSource = {
  describedObject?: CrossVersionObjectReference;
  target?: MetricTarget;
  metric?: MetricIdentifier;
};

export type ObjectMetricStatus = {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
  describedObject?: CrossVersionObjectReference;
};

export type PodsMetricSource = {
  metric?: MetricIdentifier;
  target?: MetricTarget;
};

export type PodsMetricStatus = {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
};

export type ResourceMetricSource = {
  name?: core_v1.ResourceName;
  target?: MetricTarget;
};

export type ResourceMetricStatus = {
  name?: core_v1.ResourceName;
  current?: MetricValueStatus;
};

export type ScalingPolicySelect = string;

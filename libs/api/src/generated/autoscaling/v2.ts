// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Quantity, Time } from '../../scalars.ts';

export type ContainerResourceMetricSource = {
  name?: core_v1.ResourceName;
  target?: MetricTarget;
  container?: string;
  [emptied]?: readonly string[];
};

export type ContainerResourceMetricStatus = {
  name?: core_v1.ResourceName;
  current?: MetricValueStatus;
  container?: string;
  [emptied]?: readonly string[];
};

export type CrossVersionObjectReference = {
  kind?: string;
  name?: string;
  apiVersion?: string;
  [emptied]?: readonly string[];
};

export type ExternalMetricSource = {
  metric?: MetricIdentifier;
  target?: MetricTarget;
  [emptied]?: readonly string[];
};

export type ExternalMetricStatus = {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
  [emptied]?: readonly string[];
};

export type HPAScalingPolicy = {
  type?: HPAScalingPolicyType;
  value?: number;
  periodSeconds?: number;
  [emptied]?: readonly string[];
};

export type HPAScalingPolicyType = string;

export type HPAScalingRules = {
  stabilizationWindowSeconds?: number;
  selectPolicy?: ScalingPolicySelect;
  policies?: HPAScalingPolicy[];
  tolerance?: Quantity;
  [emptied]?: readonly string[];
};

export type HorizontalPodAutoscaler = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
  [emptied]?: readonly string[];
};

export type HorizontalPodAutoscalerBehavior = {
  scaleUp?: HPAScalingRules;
  scaleDown?: HPAScalingRules;
  [emptied]?: readonly string[];
};

export type HorizontalPodAutoscalerCondition = {
  type?: HorizontalPodAutoscalerConditionType;
  status?: core_v1.ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type HorizontalPodAutoscalerConditionType = string;

export type HorizontalPodAutoscalerList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: HorizontalPodAutoscaler[] | null;
  [emptied]?: readonly string[];
};

export type HorizontalPodAutoscalerSpec = {
  scaleTargetRef?: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: MetricSpec[];
  behavior?: HorizontalPodAutoscalerBehavior;
  [emptied]?: readonly string[];
};

export type HorizontalPodAutoscalerStatus = {
  observedGeneration?: Int64;
  lastScaleTime?: Time;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: MetricStatus[] | null;
  conditions?: HorizontalPodAutoscalerCondition[];
  [emptied]?: readonly string[];
};

export type MetricIdentifier = {
  name?: string;
  selector?: meta_v1.LabelSelector;
  [emptied]?: readonly string[];
};

export type MetricSourceType = string;

export type MetricSpec = {
  type?: MetricSourceType;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  [emptied]?: readonly string[];
};

export type MetricStatus = {
  type?: MetricSourceType;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
  [emptied]?: readonly string[];
};

export type MetricTarget = {
  type?: MetricTargetType;
  value?: Quantity;
  averageValue?: Quantity;
  averageUtilization?: number;
  [emptied]?: readonly string[];
};

export type MetricTargetType = string;

export type MetricValueStatus = {
  value?: Quantity;
  averageValue?: Quantity;
  averageUtilization?: number;
  [emptied]?: readonly string[];
};

export type ObjectMetricSource = {
  describedObject?: CrossVersionObjectReference;
  target?: MetricTarget;
  metric?: MetricIdentifier;
  [emptied]?: readonly string[];
};

export type ObjectMetricStatus = {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
  describedObject?: CrossVersionObjectReference;
  [emptied]?: readonly string[];
};

export type PodsMetricSource = {
  metric?: MetricIdentifier;
  target?: MetricTarget;
  [emptied]?: readonly string[];
};

export type PodsMetricStatus = {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
  [emptied]?: readonly string[];
};

export type ResourceMetricSource = {
  name?: core_v1.ResourceName;
  target?: MetricTarget;
  [emptied]?: readonly string[];
};

export type ResourceMetricStatus = {
  name?: core_v1.ResourceName;
  current?: MetricValueStatus;
  [emptied]?: readonly string[];
};

export type ScalingPolicySelect = string;

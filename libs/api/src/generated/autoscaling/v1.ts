// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Quantity, Time } from '../../scalars.ts';

export type ContainerResourceMetricSource = {
  name?: core_v1.ResourceName;
  targetAverageUtilization?: number;
  targetAverageValue?: Quantity;
  container?: string;
  [emptied]?: readonly string[];
};

export type ContainerResourceMetricStatus = {
  name?: core_v1.ResourceName;
  currentAverageUtilization?: number;
  currentAverageValue?: Quantity;
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
  metricName?: string;
  metricSelector?: meta_v1.LabelSelector;
  targetValue?: Quantity;
  targetAverageValue?: Quantity;
  [emptied]?: readonly string[];
};

export type ExternalMetricStatus = {
  metricName?: string;
  metricSelector?: meta_v1.LabelSelector;
  currentValue?: Quantity;
  currentAverageValue?: Quantity;
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
  targetCPUUtilizationPercentage?: number;
  [emptied]?: readonly string[];
};

export type HorizontalPodAutoscalerStatus = {
  observedGeneration?: Int64;
  lastScaleTime?: Time;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentCPUUtilizationPercentage?: number;
  [emptied]?: readonly string[];
};

export type MetricSourceType = string;

export type MetricSpec = {
  /** `Object`, `Pods`, `Resource`, `ContainerResource`, `External` */
  type?: MetricSourceType;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  [emptied]?: readonly string[];
};

export type MetricStatus = {
  /** `Object`, `Pods`, `Resource`, `ContainerResource`, `External` */
  type?: MetricSourceType;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
  [emptied]?: readonly string[];
};

export type ObjectMetricSource = {
  target?: CrossVersionObjectReference;
  metricName?: string;
  targetValue?: Quantity;
  selector?: meta_v1.LabelSelector;
  averageValue?: Quantity;
  [emptied]?: readonly string[];
};

export type ObjectMetricStatus = {
  target?: CrossVersionObjectReference;
  metricName?: string;
  currentValue?: Quantity;
  selector?: meta_v1.LabelSelector;
  averageValue?: Quantity;
  [emptied]?: readonly string[];
};

export type PodsMetricSource = {
  metricName?: string;
  targetAverageValue?: Quantity;
  selector?: meta_v1.LabelSelector;
  [emptied]?: readonly string[];
};

export type PodsMetricStatus = {
  metricName?: string;
  currentAverageValue?: Quantity;
  selector?: meta_v1.LabelSelector;
  [emptied]?: readonly string[];
};

export type ResourceMetricSource = {
  name?: core_v1.ResourceName;
  targetAverageUtilization?: number;
  targetAverageValue?: Quantity;
  [emptied]?: readonly string[];
};

export type ResourceMetricStatus = {
  name?: core_v1.ResourceName;
  currentAverageUtilization?: number;
  currentAverageValue?: Quantity;
  [emptied]?: readonly string[];
};

export type Scale = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ScaleSpec;
  status?: ScaleStatus;
  [emptied]?: readonly string[];
};

export type ScaleSpec = {
  replicas?: number;
  [emptied]?: readonly string[];
};

export type ScaleStatus = {
  replicas?: number;
  selector?: string;
  [emptied]?: readonly string[];
};

import type * as v1 from '@apichain/api/autoscaling/v1';
import type * as v2 from '@apichain/api/autoscaling/v2';
import type { LabelSelector } from '@apichain/api/meta/v1';
import { isSet, parseQuantity, stringifyJson, type ObjectMeta } from '@apichain/meta';
import { listIn, objectIn } from './annotated-json.ts';

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';
/** The annotations for data that autoscaling/v1 has no field for. */
export const carriedAnnotations: readonly string[] = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
];

/** The members that are set, in their order: annotations keep the order of the fields of autoscaling/v1. */
const compact = <T extends object>(members: { readonly [Name in keyof T]: T[Name] | null }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => isSet(value))) as T;

const isCpuUtilization = ({ type, resource }: v2.MetricSpec): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && isSet(resource.target?.averageUtilization);

const averageTarget = (target: v2.MetricTarget | undefined): v1.ResourceMetricSource =>
  compact<v1.ResourceMetricSource>({
    targetAverageUtilization: target?.averageUtilization,
    targetAverageValue: target?.averageValue,
  });

/** Converts the target of a metric to the form in autoscaling/v1's annotation. All sources of a metric are converted, whatever its `type` is. */
function metricToAnnotation(metric: v2.MetricSpec): v1.MetricSpec {
  const { object, pods, resource, containerResource, external } = metric;
  return compact<v1.MetricSpec>({
    type: metric.type ?? '',
    object:
      object &&
      compact<v1.ObjectMetricSource>({
        target: object.describedObject,
        metricName: object.metric?.name,
        targetValue: object.target?.value ?? '0',
        selector: object.metric?.selector,
        averageValue: object.target?.averageValue,
      }),
    pods:
      pods &&
      compact<v1.PodsMetricSource>({
        metricName: pods.metric?.name,
        targetAverageValue: pods.target?.averageValue ?? '0',
        selector: pods.metric?.selector,
      }),
    resource: resource && { name: resource.name, ...averageTarget(resource.target) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...averageTarget(containerResource.target),
      container: containerResource.container,
    },
    external:
      external &&
      compact<v1.ExternalMetricSource>({
        metricName: external.metric?.name,
        metricSelector: external.metric?.selector,
        targetValue: external.target?.value,
        targetAverageValue: external.target?.averageValue,
      }),
  });
}

const metricNamed = (name: string | undefined, selector: LabelSelector | undefined): v2.MetricIdentifier =>
  compact<v2.MetricIdentifier>({ name: name ?? '', selector });
const isZero = (quantity: string | undefined): boolean => quantity === undefined || parseQuantity(quantity).sign === 0;

function averageFrom(source: v1.ResourceMetricSource): v2.MetricTarget {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
  return compact<v2.MetricTarget>({
    type: isSet(averageUtilization) ? 'Utilization' : 'AverageValue',
    averageValue,
    averageUtilization,
  });
}

function objectTarget({ targetValue, averageValue }: v1.ObjectMetricSource): v2.MetricTarget {
  if (!isSet(averageValue)) return { type: 'Value', value: targetValue };
  // autoscaling/v1 always has a value; in v2, the target of an average has none.
  return compact<v2.MetricTarget>({
    type: 'AverageValue',
    value: isZero(targetValue) ? undefined : targetValue,
    averageValue,
  });
}

function metricFromAnnotation(metric: v1.MetricSpec): v2.MetricSpec {
  const { object, pods, resource, containerResource, external } = metric;
  return compact<v2.MetricSpec>({
    type: metric.type ?? '',
    object: object && {
      describedObject: object.target,
      metric: metricNamed(object.metricName, object.selector),
      target: objectTarget(object),
    },
    pods: pods && {
      metric: metricNamed(pods.metricName, pods.selector),
      target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: averageFrom(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: averageFrom(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: metricNamed(external.metricName, external.metricSelector),
      target: compact<v2.MetricTarget>({
        type: isSet(external.targetValue) ? 'Value' : 'AverageValue',
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    },
  });
}

const averageCurrent = (current: v2.MetricValueStatus | undefined): v1.ResourceMetricStatus =>
  compact<v1.ResourceMetricStatus>({
    currentAverageUtilization: current?.averageUtilization,
    currentAverageValue: current?.averageValue ?? '0',
  });

function currentToAnnotation(status: v2.MetricStatus): v1.MetricStatus {
  const { object, pods, resource, containerResource, external } = status;
  return compact<v1.MetricStatus>({
    type: status.type ?? '',
    object:
      object &&
      compact<v1.ObjectMetricStatus>({
        target: object.describedObject,
        metricName: object.metric?.name,
        currentValue: object.current?.value ?? '0',
        selector: object.metric?.selector,
        averageValue: object.current?.averageValue,
      }),
    pods:
      pods &&
      compact<v1.PodsMetricStatus>({
        metricName: pods.metric?.name,
        currentAverageValue: pods.current?.averageValue ?? '0',
        selector: pods.metric?.selector,
      }),
    resource: resource && { name: resource.name, ...averageCurrent(resource.current) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...averageCurrent(containerResource.current),
      container: containerResource.container,
    },
    external:
      external &&
      compact<v1.ExternalMetricStatus>({
        metricName: external.metric?.name,
        metricSelector: external.metric?.selector,
        currentValue: external.current?.value ?? '0',
        currentAverageValue: external.current?.averageValue,
      }),
  });
}

const currentAverage = (source: v1.ResourceMetricStatus): v2.MetricValueStatus =>
  compact<v2.MetricValueStatus>({
    averageValue: source.currentAverageValue,
    averageUtilization: source.currentAverageUtilization,
  });

function currentFromAnnotation(status: v1.MetricStatus): v2.MetricStatus {
  const { object, pods, resource, containerResource, external } = status;
  return compact<v2.MetricStatus>({
    type: status.type ?? '',
    object: object && {
      describedObject: object.target,
      metric: metricNamed(object.metricName, object.selector),
      current: compact<v2.MetricValueStatus>({ value: object.currentValue, averageValue: object.averageValue }),
    },
    pods: pods && {
      metric: metricNamed(pods.metricName, pods.selector),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: currentAverage(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: currentAverage(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: metricNamed(external.metricName, external.metricSelector),
      current: compact<v2.MetricValueStatus>({
        value: external.currentValue,
        averageValue: external.currentAverageValue,
      }),
    },
  });
}

/** The rules in the annotation: all fields of the Go struct. */
function rulesToAnnotation(rules: v2.HPAScalingRules | undefined): object | null {
  if (!isSet(rules)) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: tolerance ?? null,
  };
}

/** The metadata with more annotations, sorted by name. Members keep the order of Go's ObjectMeta, in which they are served. */
function annotated(metadata: ObjectMeta, added: Readonly<Record<string, unknown>>): ObjectMeta {
  const texts = Object.entries(added).map(([name, value]) => [name, stringifyJson(value)] as const);
  if (texts.length === 0) return metadata;
  const { annotations, ownerReferences, finalizers, managedFields, ...before } = metadata;
  const all = Object.entries({ ...annotations, ...Object.fromEntries(texts) }).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...before,
    annotations: Object.fromEntries(all),
    ...compact<ObjectMeta>({ ownerReferences, finalizers, managedFields }),
  };
}

function dropCarried(metadata: ObjectMeta): void {
  if (metadata.annotations === undefined) return;
  const kept = Object.entries(metadata.annotations).filter(([name]) => !carriedAnnotations.includes(name));
  if (kept.length === 0) delete metadata.annotations;
  else metadata.annotations = Object.fromEntries(kept);
}

/** Converts autoscaling/v2, the stored version, to autoscaling/v1. Data that v1 has no field for is written to annotations. */
export function hpaToV1(hpa: v2.HorizontalPodAutoscaler): v1.HorizontalPodAutoscaler {
  const { metadata, spec = {}, status = {} } = hpa;
  dropCarried(metadata);
  const added: Record<string, unknown> = {};
  const metrics = spec.metrics ?? [];
  const cpu = metrics.find(isCpuUtilization);
  const others = metrics.filter((metric) => !isCpuUtilization(metric));
  if (others.length > 0) added[metricsAnnotation] = others.map(metricToAnnotation);
  const current = status.currentMetrics ?? [];
  if (current.length > 0) added[currentMetricsAnnotation] = current.map(currentToAnnotation);
  if ((status.conditions ?? []).length > 0) added[conditionsAnnotation] = status.conditions;
  if (isSet(spec.behavior)) {
    const { scaleUp, scaleDown } = spec.behavior;
    added[behaviorAnnotation] = { ScaleUp: rulesToAnnotation(scaleUp), ScaleDown: rulesToAnnotation(scaleDown) };
  }
  const cpuNow = current.findLast(
    ({ type, resource }) =>
      type === 'Resource' && resource?.name === 'cpu' && isSet(resource.current?.averageUtilization),
  );
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: annotated(metadata, added),
    spec: compact<v1.HorizontalPodAutoscalerSpec>({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage: cpu?.resource?.target?.averageUtilization,
    }),
    status: compact<v1.HorizontalPodAutoscalerStatus>({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentCPUUtilizationPercentage: cpuNow?.resource?.current?.averageUtilization,
    }),
  };
}

const cpuMetric = (utilization: number): v2.MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } },
});

/** The annotation about current metrics takes precedence over the field of v1. */
function currentMetrics(
  annotation: readonly v1.MetricStatus[] | undefined,
  status: v1.HorizontalPodAutoscalerStatus,
): v2.MetricStatus[] {
  if (annotation !== undefined) return annotation.map(currentFromAnnotation);
  const utilization = status.currentCPUUtilizationPercentage;
  if (!isSet(utilization)) return [];
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } }];
}

/** The scaling behavior in an annotation; undefined when it contains no rules. */
function behaviorIn(annotation: string | undefined): v2.HorizontalPodAutoscalerBehavior | undefined {
  const behavior = objectIn(annotation, 'autoscaling.v2.HorizontalPodAutoscalerBehavior');
  return behavior !== undefined && Object.values(behavior).some(isSet) ? behavior : undefined;
}

/**
 * Marks a status whose annotation was generated from currentCPUUtilizationPercentage.
 * Converting that annotation back would add an average value that was never measured.
 */
const reportedWithoutAnnotation = Symbol('reported without annotation');

/** Normalizes the annotations that represent fields to the output of the conversion; annotations that cannot be decoded are removed. */
export function settleAnnotations(hpa: v1.HorizontalPodAutoscaler): void {
  const reported = hpa.metadata.annotations?.[currentMetricsAnnotation] === undefined;
  const { metadata, spec, status } = hpaToV1(hpaFromV1(hpa));
  Object.assign(hpa, { metadata, spec, status });
  if (reported) Object.assign((hpa.status ??= {}), { [reportedWithoutAnnotation]: true });
}

/** The inverse: converts the annotations back to fields. */
export function hpaFromV1(hpa: v1.HorizontalPodAutoscaler): v2.HorizontalPodAutoscaler {
  const { metadata, spec = {}, status = {} } = hpa;
  const annotations = metadata.annotations ?? {};
  const inV1 = listIn(annotations[metricsAnnotation], 'autoscaling.v1.MetricSpec') ?? [];
  const metrics = inV1.map(metricFromAnnotation);
  if (isSet(spec.targetCPUUtilizationPercentage)) metrics.push(cpuMetric(spec.targetCPUUtilizationPercentage));
  if (metrics.length === 0) metrics.push(cpuMetric(80));
  const behavior = behaviorIn(annotations[behaviorAnnotation]);
  const annotated =
    reportedWithoutAnnotation in status
      ? undefined
      : listIn(annotations[currentMetricsAnnotation], 'autoscaling.v1.MetricStatus');
  const current = currentMetrics(annotated, status);
  const conditions = listIn(annotations[conditionsAnnotation], 'autoscaling.v1.HorizontalPodAutoscalerCondition');
  dropCarried(metadata);
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: compact<v2.HorizontalPodAutoscalerSpec>({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      metrics,
      behavior,
    }),
    status: {
      ...compact<v2.HorizontalPodAutoscalerStatus>({
        observedGeneration: status.observedGeneration,
        lastScaleTime: status.lastScaleTime,
        currentReplicas: status.currentReplicas === 0 ? undefined : status.currentReplicas,
        desiredReplicas: status.desiredReplicas ?? 0,
      }),
      currentMetrics: current.length === 0 ? null : current,
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
}

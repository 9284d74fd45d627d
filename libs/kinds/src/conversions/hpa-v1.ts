import { parseQuantity, stringifyJson, type KubeObject } from '@apichain/meta';
import { assign, at, ensureRecord, integer, isSet, list, type Plain, record, records, text } from '../fields.ts';
import { builtinTypes } from '../types.ts';
import { listIn, objectIn } from './annotated-json.ts';

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';
/** What autoscaling/v1 has no field for. */
export const carriedAnnotations: readonly string[] = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
];

const compact = (entries: Plain): Plain =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined && value !== null));

/** Annotations keep the order of the fields of autoscaling/v1. */
const podsMetric = (metric: unknown, amount: Plain): Plain =>
  compact({ metricName: at(metric, 'name'), ...amount, selector: at(metric, 'selector') });

const isCpuUtilization = (metric: Plain): boolean =>
  metric.type === 'Resource' &&
  at(metric, 'resource', 'name') === 'cpu' &&
  isSet(at(metric, 'resource', 'target', 'averageUtilization'));

/** The sources of a metric in the order of autoscaling/v1. */
type Members = Readonly<Record<string, (source: Plain) => Plain>>;

/** Whatever sources a metric has are converted, of whichever type it says that it is. */
const convertMetric =
  (members: Members) =>
  (metric: Plain): Plain => {
    const converted: Plain = { type: metric.type ?? '' };
    for (const [member, convert] of Object.entries(members)) {
      if (isSet(metric[member])) converted[member] = convert(record(metric[member]));
    }
    return converted;
  };

const averageTarget = ({ target }: Plain): Plain =>
  compact({
    targetAverageUtilization: at(target, 'averageUtilization'),
    targetAverageValue: at(target, 'averageValue'),
  });

/** A metric's target in the shape that autoscaling/v1 keeps in its annotation. */
const metricToAnnotation = convertMetric({
  object: (source) =>
    compact({
      target: source.describedObject,
      metricName: at(source.metric, 'name'),
      targetValue: at(source.target, 'value') ?? '0',
      selector: at(source.metric, 'selector'),
      averageValue: at(source.target, 'averageValue'),
    }),
  pods: (source) => podsMetric(source.metric, { targetAverageValue: at(source.target, 'averageValue') ?? '0' }),
  resource: (source) => ({ name: source.name, ...averageTarget(source) }),
  containerResource: (source) => ({ name: source.name, ...averageTarget(source), container: source.container }),
  external: (source) =>
    compact({
      metricName: at(source.metric, 'name'),
      metricSelector: at(source.metric, 'selector'),
      targetValue: at(source.target, 'value'),
      targetAverageValue: at(source.target, 'averageValue'),
    }),
});

const metricNamed = (name: unknown, selector: unknown): Plain => compact({ name: name ?? '', selector });
const isZero = (quantity: unknown): boolean => quantity === undefined || parseQuantity(text(quantity)).sign === 0;

function averageFrom(source: Plain): Plain {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
  return compact({
    type: isSet(averageUtilization) ? 'Utilization' : 'AverageValue',
    averageValue,
    averageUtilization,
  });
}

function objectTarget({ targetValue, averageValue }: Plain): Plain {
  if (!isSet(averageValue)) return { type: 'Value', value: targetValue };
  // autoscaling/v1 always has a value; that of an average is none.
  return compact({ type: 'AverageValue', value: isZero(targetValue) ? undefined : targetValue, averageValue });
}

const metricFromAnnotation = convertMetric({
  object: (source) => ({
    describedObject: source.target,
    metric: metricNamed(source.metricName, source.selector),
    target: objectTarget(source),
  }),
  pods: (source) => ({
    metric: metricNamed(source.metricName, source.selector),
    target: { type: 'AverageValue', averageValue: source.targetAverageValue },
  }),
  resource: (source) => ({ name: source.name, target: averageFrom(source) }),
  containerResource: (source) => ({ name: source.name, target: averageFrom(source), container: source.container }),
  external: (source) => ({
    metric: metricNamed(source.metricName, source.metricSelector),
    target: compact({
      type: isSet(source.targetValue) ? 'Value' : 'AverageValue',
      value: source.targetValue,
      averageValue: source.targetAverageValue,
    }),
  }),
});

const averageCurrent = ({ current }: Plain): Plain =>
  compact({
    currentAverageUtilization: at(current, 'averageUtilization'),
    currentAverageValue: at(current, 'averageValue') ?? '0',
  });

const currentToAnnotation = convertMetric({
  object: (source) =>
    compact({
      target: source.describedObject,
      metricName: at(source.metric, 'name'),
      currentValue: at(source.current, 'value') ?? '0',
      selector: at(source.metric, 'selector'),
      averageValue: at(source.current, 'averageValue'),
    }),
  pods: (source) => podsMetric(source.metric, { currentAverageValue: at(source.current, 'averageValue') ?? '0' }),
  resource: (source) => ({ name: source.name, ...averageCurrent(source) }),
  containerResource: (source) => ({ name: source.name, ...averageCurrent(source), container: source.container }),
  external: (source) =>
    compact({
      metricName: at(source.metric, 'name'),
      metricSelector: at(source.metric, 'selector'),
      currentValue: at(source.current, 'value') ?? '0',
      currentAverageValue: at(source.current, 'averageValue'),
    }),
});

const currentAverage = (source: Plain): Plain =>
  compact({ averageValue: source.currentAverageValue, averageUtilization: source.currentAverageUtilization });

const currentFromAnnotation = convertMetric({
  object: (source) => ({
    describedObject: source.target,
    metric: metricNamed(source.metricName, source.selector),
    current: compact({ value: source.currentValue, averageValue: source.averageValue }),
  }),
  pods: (source) => ({
    metric: metricNamed(source.metricName, source.selector),
    current: { averageValue: source.currentAverageValue },
  }),
  resource: (source) => ({ name: source.name, current: currentAverage(source) }),
  containerResource: (source) => ({
    name: source.name,
    current: currentAverage(source),
    container: source.container,
  }),
  external: (source) => ({
    metric: metricNamed(source.metricName, source.metricSelector),
    current: compact({ value: source.currentValue, averageValue: source.currentAverageValue }),
  }),
});

function rulesToAnnotation(rules: unknown): unknown {
  if (!isSet(rules)) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = record(rules);
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies: isSet(policies)
      ? records(policies).map(({ type, value, periodSeconds }) => ({
          Type: type,
          Value: value,
          PeriodSeconds: periodSeconds,
        }))
      : null,
    Tolerance: tolerance ?? null,
  };
}

function annotate(metadata: KubeObject['metadata'], name: string, value: unknown): void {
  const annotations = Object.entries({ ...(metadata.annotations ?? {}), [name]: stringifyJson(value) });
  metadata.annotations = Object.fromEntries(annotations.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function dropCarried(metadata: KubeObject['metadata']): void {
  if (metadata.annotations === undefined) return;
  const kept = Object.entries(metadata.annotations).filter(([name]) => !carriedAnnotations.includes(name));
  if (kept.length === 0) delete metadata.annotations;
  else metadata.annotations = Object.fromEntries(kept);
}

/** autoscaling/v2, the stored form, as autoscaling/v1: what v1 has no field for travels in annotations. */
export function hpaToV1(hpa: KubeObject): KubeObject {
  const { metadata } = hpa;
  dropCarried(metadata);
  const spec = record(hpa.spec);
  const status = record(hpa.status);
  const metrics = records(spec.metrics);
  const cpu = metrics.find(isCpuUtilization);
  const others = metrics.filter((metric) => !isCpuUtilization(metric));
  if (others.length > 0) annotate(metadata, metricsAnnotation, others.map(metricToAnnotation));
  const current = records(status.currentMetrics);
  if (current.length > 0) annotate(metadata, currentMetricsAnnotation, current.map(currentToAnnotation));
  if (list(status.conditions).length > 0) annotate(metadata, conditionsAnnotation, status.conditions);
  if (isSet(spec.behavior)) {
    const { scaleUp, scaleDown } = record(spec.behavior);
    annotate(metadata, behaviorAnnotation, {
      ScaleUp: rulesToAnnotation(scaleUp),
      ScaleDown: rulesToAnnotation(scaleDown),
    });
  }
  const cpuNow = current.findLast(
    (m) =>
      m.type === 'Resource' &&
      at(m, 'resource', 'name') === 'cpu' &&
      isSet(at(m, 'resource', 'current', 'averageUtilization')),
  );
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: compact({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage: at(cpu, 'resource', 'target', 'averageUtilization'),
    }),
    status: compact({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: integer(status.currentReplicas),
      desiredReplicas: integer(status.desiredReplicas),
      currentCPUUtilizationPercentage: at(cpuNow, 'resource', 'current', 'averageUtilization'),
    }),
  };
}

const cpuMetric = (utilization: unknown): Plain => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } },
});

/** What the annotation says of metrics counts before the one that v1 has a field for. */
function currentMetrics(annotation: readonly Plain[] | undefined, status: Plain): Plain[] {
  if (annotation !== undefined) return annotation.map(currentFromAnnotation);
  const utilization = status.currentCPUUtilizationPercentage;
  if (!isSet(utilization)) return [];
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } }];
}

/** How it scales, as an annotation says; one without rules says nothing. */
function behaviorIn(annotation: string | undefined): Plain | undefined {
  const behavior = objectIn(annotation, builtinTypes.type('autoscaling.v2.HorizontalPodAutoscalerBehavior'));
  return behavior !== undefined && Object.values(behavior).some(isSet) ? behavior : undefined;
}

/** A member of statuses whose annotation was made from what they report: converted again, it would claim an average that nobody measured. */
const reportedWithoutAnnotation = Symbol('reported without annotation');

/** Writes annotations that stand for fields as the conversion writes them; those that do not read are gone. */
export function settleAnnotations(hpa: KubeObject): void {
  const reported = hpa.metadata.annotations?.[currentMetricsAnnotation] === undefined;
  const { spec, status } = hpaToV1(hpaFromV1(hpa));
  Object.assign(hpa, { spec, status });
  if (reported) Object.assign(ensureRecord(hpa, 'status'), { [reportedWithoutAnnotation]: true });
}

/** The inverse: annotations become fields again. */
export function hpaFromV1(hpa: KubeObject): KubeObject {
  const { metadata } = hpa;
  const annotations = metadata.annotations ?? {};
  const spec = record(hpa.spec);
  const status = record(hpa.status);
  const inV1 = (name: string, type: string): Plain[] | undefined =>
    listIn(annotations[name], builtinTypes.type(`autoscaling.v1.${type}`));
  const metrics = (inV1(metricsAnnotation, 'MetricSpec') ?? []).map(metricFromAnnotation);
  if (isSet(spec.targetCPUUtilizationPercentage)) metrics.push(cpuMetric(spec.targetCPUUtilizationPercentage));
  if (metrics.length === 0) metrics.push(cpuMetric(80));
  const behavior = behaviorIn(annotations[behaviorAnnotation]);
  const annotated = reportedWithoutAnnotation in status ? undefined : inV1(currentMetricsAnnotation, 'MetricStatus');
  const current = currentMetrics(annotated, status);
  const conditions = inV1(conditionsAnnotation, 'HorizontalPodAutoscalerCondition');
  const result: KubeObject = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: compact({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      metrics,
    }),
    status: compact({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: integer(status.currentReplicas) === 0 ? undefined : status.currentReplicas,
      desiredReplicas: integer(status.desiredReplicas),
    }),
  };
  if (behavior !== undefined) assign(ensureRecord(result, 'spec'), 'behavior', behavior);
  const newStatus = ensureRecord(result, 'status');
  newStatus.currentMetrics = current.length === 0 ? null : current;
  if (conditions !== undefined) newStatus.conditions = conditions;
  dropCarried(metadata);
  return result;
}

import { parseJson, stringifyJson, type KubeObject } from '@apichain/meta';
import {
  assign,
  at,
  ensureRecord,
  integer,
  isRecord,
  isSet,
  list,
  type Plain,
  record,
  records,
  text,
} from '../fields.ts';

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

/** A metric's target in the shape that autoscaling/v1 keeps in its annotation. */
function metricToAnnotation(metric: Plain): Plain {
  const type = text(metric.type);
  const member = type.charAt(0).toLowerCase() + type.slice(1);
  const spec = record(metric[member]);
  const target = record(spec.target);
  const average = compact({
    targetAverageUtilization: target.averageUtilization,
    targetAverageValue: target.averageValue,
  });
  switch (type) {
    case 'Resource':
      return { type, resource: { name: spec.name, ...average } };
    case 'ContainerResource':
      return { type, containerResource: { name: spec.name, ...average, container: spec.container } };
    case 'Pods':
      return { type, pods: podsMetric(spec.metric, { targetAverageValue: target.averageValue }) };
    case 'Object':
      return {
        type,
        object: compact({
          target: spec.describedObject,
          metricName: at(spec.metric, 'name'),
          targetValue: target.value ?? '0',
          selector: at(spec.metric, 'selector'),
          averageValue: target.averageValue,
        }),
      };
    default:
      return {
        type,
        external: compact({
          metricName: at(spec.metric, 'name'),
          metricSelector: at(spec.metric, 'selector'),
          targetValue: target.value,
          targetAverageValue: target.averageValue,
        }),
      };
  }
}

function target(value: unknown, average: unknown, utilization?: unknown): Plain {
  if (isSet(utilization)) return { type: 'Utilization', averageUtilization: utilization };
  if (isSet(average)) return { type: 'AverageValue', averageValue: average };
  return compact({ type: 'Value', value });
}

function metricFromAnnotation(metric: Plain): Plain {
  const type = text(metric.type);
  const member = type.charAt(0).toLowerCase() + type.slice(1);
  const spec = record(metric[member]);
  const named = (selector: unknown) => compact({ name: spec.metricName ?? '', selector });
  switch (type) {
    case 'Resource':
    case 'ContainerResource': {
      const wanted = isSet(spec.targetAverageUtilization)
        ? target(undefined, undefined, spec.targetAverageUtilization)
        : compact({ type: 'AverageValue', averageValue: spec.targetAverageValue });
      return { type, [member]: compact({ name: spec.name, target: wanted, container: spec.container }) };
    }
    case 'Pods':
      return {
        type,
        pods: { metric: named(spec.selector), target: { type: 'AverageValue', averageValue: spec.targetAverageValue } },
      };
    case 'Object': {
      const wanted = target(spec.targetValue, spec.averageValue);
      return { type, object: { describedObject: spec.target, metric: named(spec.selector), target: wanted } };
    }
    default: {
      const wanted = isSet(spec.targetValue)
        ? target(spec.targetValue, undefined)
        : target(undefined, spec.targetAverageValue);
      return { type, external: { metric: named(spec.metricSelector), target: wanted } };
    }
  }
}

function currentToAnnotation(metric: Plain): Plain {
  const type = text(metric.type);
  const member = type.charAt(0).toLowerCase() + type.slice(1);
  const spec = record(metric[member]);
  const current = record(spec.current);
  const average = compact({
    currentAverageUtilization: current.averageUtilization,
    currentAverageValue: current.averageValue ?? '0',
  });
  switch (type) {
    case 'Resource':
      return { type, resource: { name: spec.name, ...average } };
    case 'ContainerResource':
      return { type, containerResource: { name: spec.name, ...average, container: spec.container } };
    case 'Pods':
      return { type, pods: podsMetric(spec.metric, { currentAverageValue: current.averageValue ?? '0' }) };
    case 'Object':
      return {
        type,
        object: compact({
          target: spec.describedObject,
          metricName: at(spec.metric, 'name'),
          currentValue: current.value ?? '0',
          selector: at(spec.metric, 'selector'),
          averageValue: current.averageValue,
        }),
      };
    default:
      return {
        type,
        external: compact({
          metricName: at(spec.metric, 'name'),
          metricSelector: at(spec.metric, 'selector'),
          currentValue: current.value ?? '0',
          currentAverageValue: current.averageValue,
        }),
      };
  }
}

function currentFromAnnotation(metric: Plain): Plain {
  const type = text(metric.type);
  const member = type.charAt(0).toLowerCase() + type.slice(1);
  const spec = record(metric[member]);
  const current = compact({
    value: spec.currentValue,
    averageValue: spec.currentAverageValue ?? spec.averageValue,
    averageUtilization: spec.currentAverageUtilization,
  });
  const named = compact({ name: spec.metricName ?? '', selector: spec.selector ?? spec.metricSelector });
  switch (type) {
    case 'Resource':
    case 'ContainerResource':
      return { type, [member]: compact({ name: spec.name, current, container: spec.container }) };
    case 'Object':
      return { type, object: { describedObject: spec.target, metric: named, current } };
    default:
      return { type, [member]: { metric: named, current } };
  }
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

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

function rulesFromAnnotation(rules: unknown): Plain | undefined {
  if (!isRecord(rules)) return undefined;
  const member = (name: string): unknown => rules[capital(name)] ?? undefined;
  const policies = member('policies');
  return compact({
    stabilizationWindowSeconds: member('stabilizationWindowSeconds'),
    selectPolicy: member('selectPolicy'),
    policies: isSet(policies)
      ? records(policies).map((p) => ({ type: p.Type, value: p.Value, periodSeconds: p.PeriodSeconds }))
      : undefined,
    tolerance: member('tolerance'),
  });
}

/** What an annotation holds; undefined when it is absent or does not read as JSON, which is ignored as Kubernetes does. */
function decode(annotations: Readonly<Record<string, string>>, name: string): unknown {
  const value = annotations[name];
  if (value === undefined) return undefined;
  try {
    return parseJson(value);
  } catch {
    return undefined;
  }
}

function annotate(metadata: KubeObject['metadata'], name: string, value: unknown): void {
  metadata.annotations = { ...(metadata.annotations ?? {}), [name]: stringifyJson(value) };
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
  const cpuNow = current.find(
    (m) => at(m, 'resource', 'name') === 'cpu' && isSet(at(m, 'resource', 'current', 'averageUtilization')),
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
function currentMetrics(annotation: unknown, status: Plain): Plain[] {
  if (Array.isArray(annotation)) return records(annotation).map(currentFromAnnotation);
  const utilization = status.currentCPUUtilizationPercentage;
  if (!isSet(utilization)) return [];
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } }];
}

/** The inverse: annotations become fields again. */
export function hpaFromV1(hpa: KubeObject): KubeObject {
  const { metadata } = hpa;
  const annotations = metadata.annotations ?? {};
  const spec = record(hpa.spec);
  const status = record(hpa.status);
  const metrics = records(decode(annotations, metricsAnnotation)).map(metricFromAnnotation);
  if (isSet(spec.targetCPUUtilizationPercentage)) metrics.push(cpuMetric(spec.targetCPUUtilizationPercentage));
  if (metrics.length === 0) metrics.push(cpuMetric(80));
  const behavior = decode(annotations, behaviorAnnotation);
  const current = currentMetrics(decode(annotations, currentMetricsAnnotation), status);
  const conditions = decode(annotations, conditionsAnnotation);
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
  if (isRecord(behavior)) {
    assign(
      ensureRecord(result, 'spec'),
      'behavior',
      compact({ scaleUp: rulesFromAnnotation(behavior.ScaleUp), scaleDown: rulesFromAnnotation(behavior.ScaleDown) }),
    );
  }
  const newStatus = ensureRecord(result, 'status');
  newStatus.currentMetrics = current.length === 0 ? null : current;
  if (Array.isArray(conditions)) newStatus.conditions = conditions;
  dropCarried(metadata);
  return result;
}

import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  MetricIdentifier,
  MetricTarget,
  CrossVersionObjectReference,
  HPAScalingRules,
  MetricSpec,
} from '@apichain/api/autoscaling/v2';
import { field, isDNS1123Label, isValidPathSegmentName, type FieldError, lookupTable } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { containerResourceName, quantityOf } from '../common/resources.ts';
import {
  checkEach,
  collect,
  invalidEach,
  nonNegativeDetail,
  nonNegatives,
  type Out,
  requiredName,
  requiredText,
  strictChoice,
} from '../common/rules.ts';

function referenceErrors(out: Out, path: string, reference: CrossVersionObjectReference, mayLackGroup: boolean): void {
  requiredName(out, `${path}.kind`, reference.kind, isValidPathSegmentName);
  requiredName(out, `${path}.name`, reference.name, isValidPathSegmentName);
  const apiVersion = reference.apiVersion ?? '';
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    out.push(field.invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (!mayLackGroup && (parts.length === 1 || parts[0] === '') && reference.kind !== 'ReplicationController') {
    out.push(field.invalid(`${path}.apiVersion`, apiVersion, 'apiVersion must specify API group'));
  }
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function targetErrors(out: Out, path: string, target: MetricTarget): void {
  const type = target.type ?? '';
  if (type === '') out.push(field.required(`${path}.type`, 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    out.push(field.invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const name of ['value', 'averageValue'] as const) {
    const amount = target[name];
    if (isSet(amount) && quantityOf(amount).sign <= 0) {
      out.push(field.invalid(`${path}.${name}`, quantityOf(amount).toString(), 'must be positive'));
    }
  }
  if (isSet(target.averageUtilization) && (target.averageUtilization ?? 0) < 1) {
    out.push(field.invalid(`${path}.averageUtilization`, target.averageUtilization, 'must be greater than 0'));
  }
}

function metricErrors(out: Out, path: string, metric: MetricIdentifier | undefined): void {
  const name = metric?.name ?? '';
  if (name === '') out.push(field.required(`${path}.name`, 'must specify a metric name'));
  else invalidEach(out, `${path}.name`, name, isValidPathSegmentName(name));
}

/** The sources of metrics; each has its own type. */
type SourceName = 'object' | 'external' | 'pods' | 'resource' | 'containerResource';
type SourceCheck<Name extends SourceName> = (
  out: Out,
  path: string,
  source: NonNullable<MetricSpec[Name]>,
  target: MetricTarget,
) => void;

function utilizationErrors(out: Out, path: string, target: MetricTarget): void {
  if (!isSet(target.averageUtilization) && !isSet(target.averageValue)) {
    const detail = 'must set either a target raw value or a target utilization';
    out.push(field.required(`${path}.target.averageUtilization`, detail));
  }
  if (isSet(target.averageUtilization) && isSet(target.averageValue)) {
    const detail = 'may not set both a target raw value and a target utilization';
    out.push(field.forbidden(`${path}.target.averageValue`, detail));
  }
}

/** The checks of the sources, by field of the metric, in the order in which they run. */
const sources: { readonly [Name in SourceName]: SourceCheck<Name> } = {
  object: (out, path, source, target) => {
    referenceErrors(out, `${path}.describedObject`, source.describedObject ?? {}, true);
    metricErrors(out, `${path}.metric`, source.metric);
    targetErrors(out, `${path}.target`, target);
    if (!isSet(target.value) && !isSet(target.averageValue)) {
      out.push(field.required(`${path}.target.averageValue`, 'must set either a target value or averageValue'));
    }
  },
  external: (out, path, source, target) => {
    metricErrors(out, `${path}.metric`, source.metric);
    targetErrors(out, `${path}.target`, target);
    if (!isSet(target.value) && !isSet(target.averageValue)) {
      const detail = 'must set either a target value for metric or a per-pod target';
      out.push(field.required(`${path}.target.averageValue`, detail));
    }
    if (isSet(target.value) && isSet(target.averageValue)) {
      const detail = 'may not set both a target value for metric and a per-pod target';
      out.push(field.forbidden(`${path}.target.value`, detail));
    }
  },
  pods: (out, path, source, target) => {
    metricErrors(out, `${path}.metric`, source.metric);
    targetErrors(out, `${path}.target`, target);
    if (!isSet(target.averageValue)) {
      const detail = 'must specify a positive target averageValue';
      out.push(field.required(`${path}.target.averageValue`, detail));
    }
  },
  resource: (out, path, source, target) => {
    requiredText(out, `${path}.name`, source.name, 'must specify a resource name');
    targetErrors(out, `${path}.target`, target);
    utilizationErrors(out, path, target);
  },
  containerResource: (out, path, source, target) => {
    const name = source.name ?? '';
    const container = source.container ?? '';
    if (name === '') out.push(field.required(`${path}.name`, 'must specify a resource name'));
    else containerResourceName(out, `${path}.name`, name);
    if (container === '') out.push(field.required(`${path}.container`, 'must specify a container'));
    else invalidEach(out, `${path}.container`, container, isDNS1123Label(container));
    targetErrors(out, `${path}.target`, target);
    utilizationErrors(out, path, target);
  },
};
const sourceNames = Object.keys(sources) as SourceName[];

function sourceErrors<Name extends SourceName>(out: Out, path: string, metric: MetricSpec, name: Name): void {
  const source: MetricSpec[Name] = metric[name];
  if (isSet(source)) sources[name](out, `${path}.${name}`, source, source.target ?? {});
}

const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const fieldOfType: Readonly<Record<string, SourceName>> = lookupTable({
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
});

function metricSpecErrors(out: Out, path: string, metric: MetricSpec): void {
  const type = metric.type ?? '';
  if (type === '') out.push(field.required(`${path}.type`, 'must specify a metric source type'));
  strictChoice(out, `${path}.type`, type, metricTypes);
  const given = sourceNames.filter((name) => isSet(metric[name]));
  const [first] = given;
  if (first !== undefined) sourceErrors(out, path, metric, first);
  const expected = fieldOfType[type];
  if (expected === undefined) out.push(field.notSupported(`${path}.type`, type, metricTypes));
  else if (!isSet(metric[expected])) {
    out.push(field.required(`${path}.${expected}`, 'must populate information for the given metric source'));
  }
  if (given.length === 1) return;
  for (const name of given) {
    if (name !== expected) out.push(field.forbidden(`${path}.${name}`, 'must populate the given metric source only'));
  }
}

function scalingRuleErrors(out: Out, path: string, rules: HPAScalingRules | undefined): void {
  if (!isSet(rules)) return;
  if (isSet(rules.stabilizationWindowSeconds)) {
    const seconds = rules.stabilizationWindowSeconds ?? 0;
    const at = `${path}.stabilizationWindowSeconds`;
    if (seconds < 0) out.push(field.invalid(at, seconds, 'must be greater than or equal to zero'));
    if (seconds > 3600) out.push(field.invalid(at, seconds, 'must be less than or equal to 3600'));
  }
  if (isSet(rules.selectPolicy)) {
    strictChoice(out, `${path}.selectPolicy`, rules.selectPolicy, ['Disabled', 'Max', 'Min']);
  }
  const policies = rules.policies ?? [];
  if (policies.length === 0) out.push(field.required(`${path}.policies`, 'must specify at least one Policy'));
  checkEach(out, policies, (out, policy, j) => {
    const at = `${path}.policies[${j}]`;
    const seconds = policy.periodSeconds ?? 0;
    strictChoice(out, `${at}.type`, policy.type, ['Percent', 'Pods']);
    if ((policy.value ?? 0) <= 0) {
      out.push(field.invalid(`${at}.value`, policy.value ?? 0, 'must be greater than zero'));
    }
    if (seconds <= 0) out.push(field.invalid(`${at}.periodSeconds`, seconds, 'must be greater than zero'));
    if (seconds > 1800) {
      out.push(field.invalid(`${at}.periodSeconds`, seconds, 'must be less than or equal to 1800'));
    }
  });
  if (isSet(rules.tolerance) && quantityOf(rules.tolerance).sign < 0) {
    out.push(field.invalid(`${path}.tolerance`, quantityOf(rules.tolerance).toString(), nonNegativeDetail));
  }
}

function replicaErrors(out: Out, spec: HorizontalPodAutoscalerSpec, lowest: number): void {
  const max = spec.maxReplicas ?? 0;
  if (isSet(spec.minReplicas) && (spec.minReplicas ?? 0) < lowest) {
    const detail = `must be greater than or equal to ${lowest}`;
    out.push(field.invalid('spec.minReplicas', spec.minReplicas, detail));
  }
  if (max === 0) out.push(field.required('spec.maxReplicas', 'must be set and greater than 0'));
  else if (max < 0) out.push(field.invalid('spec.maxReplicas', max, 'must be greater than or equal to 1'));
  if (isSet(spec.minReplicas) && max < (spec.minReplicas ?? 0)) {
    out.push(field.invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
  }
}

function specErrors(out: Out, spec: HorizontalPodAutoscalerSpec, old: HorizontalPodAutoscalerSpec | undefined): void {
  const lowest = old !== undefined && isSet(old.minReplicas) && (old.minReplicas ?? 0) === 0 ? 0 : 1;
  replicaErrors(out, spec, lowest);
  const target = spec.scaleTargetRef ?? {};
  const before = old?.scaleTargetRef ?? {};
  const sameTarget = old !== undefined && target.apiVersion === before.apiVersion && target.kind === before.kind;
  referenceErrors(out, 'spec.scaleTargetRef', target, sameTarget);
  const metrics = spec.metrics ?? [];
  checkEach(out, metrics, (out, metric, i) => metricSpecErrors(out, `spec.metrics[${i}]`, metric));
  const outside = metrics.some((metric) => metric.type === 'Object' || metric.type === 'External');
  if (isSet(spec.minReplicas) && (spec.minReplicas ?? 0) === 0 && !outside) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
    out.push(field.forbidden('spec.metrics', detail));
  }
  scalingRuleErrors(out, 'spec.behavior.scaleUp', spec.behavior?.scaleUp);
  scalingRuleErrors(out, 'spec.behavior.scaleDown', spec.behavior?.scaleDown);
}

/** https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/, in the form of autoscaling/v2 */
export function validateAutoscaler(autoscaler: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): FieldError[] {
  return collect((out) => specErrors(out, autoscaler.spec ?? {}, old === undefined ? undefined : (old.spec ?? {})));
}

export const validateAutoscalerStatus = (autoscaler: HorizontalPodAutoscaler): FieldError[] =>
  collect((out) => nonNegatives(out, 'status', autoscaler.status, ['currentReplicas', 'desiredReplicas']));

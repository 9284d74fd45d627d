import {
  field,
  isDNS1123Label,
  isValidPathSegmentName,
  type FieldError,
  type KubeObject,
  lookupTable,
} from '@apichain/meta';
import { at, integer, isSet, type Plain, record, records, text } from '@apichain/kinds';
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

function referenceErrors(out: Out, path: string, value: unknown, mayLackGroup: boolean): void {
  const reference = record(value);
  requiredName(out, `${path}.kind`, reference.kind, isValidPathSegmentName);
  requiredName(out, `${path}.name`, reference.name, isValidPathSegmentName);
  const apiVersion = text(reference.apiVersion);
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    out.push(field.invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (!mayLackGroup && (parts.length === 1 || parts[0] === '') && reference.kind !== 'ReplicationController') {
    out.push(field.invalid(`${path}.apiVersion`, apiVersion, 'apiVersion must specify API group'));
  }
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function targetErrors(out: Out, path: string, target: Plain): void {
  const type = text(target.type);
  if (type === '') out.push(field.required(`${path}.type`, 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    out.push(field.invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const name of ['value', 'averageValue']) {
    if (isSet(target[name]) && quantityOf(target[name]).sign <= 0) {
      out.push(field.invalid(`${path}.${name}`, quantityOf(target[name]).toString(), 'must be positive'));
    }
  }
  if (isSet(target.averageUtilization) && integer(target.averageUtilization) < 1) {
    out.push(field.invalid(`${path}.averageUtilization`, target.averageUtilization, 'must be greater than 0'));
  }
}

function metricErrors(out: Out, path: string, metric: unknown): void {
  const name = text(record(metric).name);
  if (name === '') out.push(field.required(`${path}.name`, 'must specify a metric name'));
  else invalidEach(out, `${path}.name`, name, isValidPathSegmentName(name));
}

type SourceCheck = (out: Out, path: string, source: Plain, target: Plain) => void;

function utilizationErrors(out: Out, path: string, target: Plain): void {
  if (!isSet(target.averageUtilization) && !isSet(target.averageValue)) {
    const detail = 'must set either a target raw value or a target utilization';
    out.push(field.required(`${path}.target.averageUtilization`, detail));
  }
  if (isSet(target.averageUtilization) && isSet(target.averageValue)) {
    const detail = 'may not set both a target raw value and a target utilization';
    out.push(field.forbidden(`${path}.target.averageValue`, detail));
  }
}

/** Sources in the order they are looked at, with the field each has. */
const sources: Readonly<Record<string, SourceCheck>> = lookupTable({
  object: (out, path, source, target) => {
    referenceErrors(out, `${path}.describedObject`, source.describedObject, true);
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
    const name = text(source.name);
    const container = text(source.container);
    if (name === '') out.push(field.required(`${path}.name`, 'must specify a resource name'));
    else containerResourceName(out, `${path}.name`, name);
    if (container === '') out.push(field.required(`${path}.container`, 'must specify a container'));
    else invalidEach(out, `${path}.container`, container, isDNS1123Label(container));
    targetErrors(out, `${path}.target`, target);
    utilizationErrors(out, path, target);
  },
});

const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const fieldOfType: Readonly<Record<string, string>> = lookupTable({
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
});

function metricSpecErrors(out: Out, path: string, metric: Plain): void {
  const type = text(metric.type);
  if (type === '') out.push(field.required(`${path}.type`, 'must specify a metric source type'));
  strictChoice(out, `${path}.type`, type, metricTypes);
  const given = Object.keys(sources).filter((name) => isSet(metric[name]));
  const [first] = given;
  if (first !== undefined) {
    const source = record(metric[first]);
    sources[first]?.(out, `${path}.${first}`, source, record(source.target));
  }
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

function scalingRuleErrors(out: Out, path: string, value: unknown): void {
  if (!isSet(value)) return;
  const rules = record(value);
  if (isSet(rules.stabilizationWindowSeconds)) {
    const seconds = integer(rules.stabilizationWindowSeconds);
    const at = `${path}.stabilizationWindowSeconds`;
    if (seconds < 0) out.push(field.invalid(at, seconds, 'must be greater than or equal to zero'));
    if (seconds > 3600) out.push(field.invalid(at, seconds, 'must be less than or equal to 3600'));
  }
  if (isSet(rules.selectPolicy)) {
    strictChoice(out, `${path}.selectPolicy`, rules.selectPolicy, ['Disabled', 'Max', 'Min']);
  }
  const policies = records(rules.policies);
  if (policies.length === 0) out.push(field.required(`${path}.policies`, 'must specify at least one Policy'));
  checkEach(out, policies, (out, policy, j) => {
    const at = `${path}.policies[${j}]`;
    const seconds = integer(policy.periodSeconds);
    strictChoice(out, `${at}.type`, policy.type, ['Percent', 'Pods']);
    if (integer(policy.value) <= 0) {
      out.push(field.invalid(`${at}.value`, integer(policy.value), 'must be greater than zero'));
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

function replicaErrors(out: Out, spec: Plain, lowest: number): void {
  const max = integer(spec.maxReplicas);
  if (isSet(spec.minReplicas) && integer(spec.minReplicas) < lowest) {
    const detail = `must be greater than or equal to ${lowest}`;
    out.push(field.invalid('spec.minReplicas', spec.minReplicas, detail));
  }
  if (max === 0) out.push(field.required('spec.maxReplicas', 'must be set and greater than 0'));
  else if (max < 0) out.push(field.invalid('spec.maxReplicas', max, 'must be greater than or equal to 1'));
  if (isSet(spec.minReplicas) && max < integer(spec.minReplicas)) {
    out.push(field.invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
  }
}

function specErrors(out: Out, spec: Plain, old: Plain | undefined): void {
  const lowest = old !== undefined && isSet(old.minReplicas) && integer(old.minReplicas) === 0 ? 0 : 1;
  replicaErrors(out, spec, lowest);
  const target = record(spec.scaleTargetRef);
  const before = record(old?.scaleTargetRef);
  const sameTarget = old !== undefined && target.apiVersion === before.apiVersion && target.kind === before.kind;
  referenceErrors(out, 'spec.scaleTargetRef', target, sameTarget);
  const metrics = records(spec.metrics);
  checkEach(out, metrics, (out, metric, i) => metricSpecErrors(out, `spec.metrics[${i}]`, metric));
  const outside = metrics.some((metric) => metric.type === 'Object' || metric.type === 'External');
  if (isSet(spec.minReplicas) && integer(spec.minReplicas) === 0 && !outside) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
    out.push(field.forbidden('spec.metrics', detail));
  }
  scalingRuleErrors(out, 'spec.behavior.scaleUp', at(spec, 'behavior', 'scaleUp'));
  scalingRuleErrors(out, 'spec.behavior.scaleDown', at(spec, 'behavior', 'scaleDown'));
}

/** https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/, in the form of autoscaling/v2 */
export function validateAutoscaler(autoscaler: KubeObject, old?: KubeObject): FieldError[] {
  return collect((out) => specErrors(out, record(autoscaler.spec), old === undefined ? undefined : record(old.spec)));
}

export const validateAutoscalerStatus = (autoscaler: KubeObject): FieldError[] =>
  collect((out) => nonNegatives(out, 'status', autoscaler.status, ['currentReplicas', 'desiredReplicas']));

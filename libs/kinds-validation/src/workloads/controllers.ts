import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { at, integer, isSet, type Plain, record, textMap } from '@apichain/kinds';
import { amountOf, intOrPercent, notMoreThan100Percent } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { collect, immutable, nonNegative, nonNegatives, type Out, shownMember } from '../common/rules.ts';
import { isEmptySelector, labelSelectorErrors, matchingForm, shownSelector } from '../common/selectors.ts';
import type { Capabilities } from '../pod/capabilities.ts';
import { alwaysRunningErrors, podTemplateErrors } from '../pod/template.ts';

export const mismatch = '`selector` does not match template `labels`';

/** Says so when the selector does not select the template's pods. An absent selector selects nothing. */
export function templateMatchErrors(out: Out, spec: Plain, path = 'spec'): void {
  const selector = matchingForm(spec.selector);
  if (selector === undefined || selector.empty) return;
  const metadata = at(spec.template, 'metadata');
  if (!selector.matches(textMap(at(metadata, 'labels')))) {
    out.push(field.invalid(`${path}.template.metadata.labels`, shownMember(metadata, 'labels'), mismatch));
  }
}

/** A selector that must be there and select something. `kind` names it in the message. */
export function requiredSelectorErrors(out: Out, selector: unknown, kind: string): void {
  if (!isSet(selector)) {
    out.push(field.required('spec.selector'));
    return;
  }
  labelSelectorErrors(out, 'spec.selector', selector);
  if (isEmptySelector(selector)) {
    out.push(field.invalid('spec.selector', shownSelector(selector), `empty selector is invalid for ${kind}`));
  }
}

function replicaTemplateErrors(out: Out, spec: Plain, old: Plain | undefined, capabilities: Capabilities): void {
  if (matchingForm(spec.selector) === undefined) {
    out.push(field.invalid('spec.selector', shownSelector(spec.selector), 'invalid label selector'));
    return;
  }
  templateMatchErrors(out, spec);
  podTemplateErrors(out, 'spec.template', spec.template, old?.template, capabilities);
  alwaysRunningErrors(out, 'spec.template', spec.template, 'ReplicaSet');
}

function rollingUpdateErrors(out: Out, path: string, rolling: Plain): void {
  intOrPercent(out, `${path}.maxUnavailable`, rolling.maxUnavailable);
  intOrPercent(out, `${path}.maxSurge`, rolling.maxSurge);
  if (amountOf(rolling.maxUnavailable) === 0 && amountOf(rolling.maxSurge) === 0) {
    const detail = 'may not be 0 when `maxSurge` is 0';
    out.push(field.invalid(`${path}.maxUnavailable`, rolling.maxUnavailable ?? 0, detail));
  }
  notMoreThan100Percent(out, `${path}.maxUnavailable`, rolling.maxUnavailable);
}

function strategyErrors(out: Out, strategy: Plain): void {
  const path = 'spec.strategy';
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'Recreate') {
    if (isSet(rolling)) {
      out.push(field.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"));
    }
  } else if (strategy.type === 'RollingUpdate') {
    if (!isSet(rolling)) {
      out.push(field.required(`${path}.rollingUpdate`, 'this should be defaulted and never be nil'));
    } else rollingUpdateErrors(out, `${path}.rollingUpdate`, record(rolling));
  } else {
    const shown = goValue('apps.v1.DeploymentStrategy', strategy);
    out.push(field.notSupported(path, shown, ['Recreate', 'RollingUpdate']));
  }
}

function deploymentErrors(
  out: Out,
  deployment: KubeObject,
  old: KubeObject | undefined,
  capabilities: Capabilities,
): void {
  const spec = record(deployment.spec);
  nonNegative(out, 'spec.replicas', spec.replicas);
  requiredSelectorErrors(out, spec.selector, 'deployment');
  replicaTemplateErrors(out, spec, old === undefined ? undefined : record(old.spec), capabilities);
  strategyErrors(out, record(spec.strategy));
  nonNegatives(out, 'spec', spec, ['minReadySeconds', 'revisionHistoryLimit']);
  if (!isSet(spec.progressDeadlineSeconds)) return;
  nonNegative(out, 'spec.progressDeadlineSeconds', spec.progressDeadlineSeconds);
  if (integer(spec.progressDeadlineSeconds) <= integer(spec.minReadySeconds)) {
    const detail = 'must be greater than minReadySeconds';
    out.push(field.invalid('spec.progressDeadlineSeconds', spec.progressDeadlineSeconds, detail));
  }
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ */
export const validateDeployment = (deployment: KubeObject, _old: undefined, capabilities: Capabilities): FieldError[] =>
  collect((out) => deploymentErrors(out, deployment, undefined, capabilities));

export function validateDeploymentUpdate(
  deployment: KubeObject,
  old: KubeObject,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    deploymentErrors(out, deployment, old, capabilities);
    selectorUnchanged(out, deployment, old);
  });
}

export function selectorUnchanged(out: Out, object: KubeObject, old: KubeObject): void {
  const selector = at(object.spec, 'selector');
  immutable(out, 'spec.selector', selector, at(old.spec, 'selector'), shownSelector(selector));
}

/** Counters of a status that cannot be greater than that of all replicas. */
export function countErrors(out: Out, status: Plain, names: readonly string[], readyName: string): void {
  const replicas = integer(status.replicas);
  for (const name of names) {
    if (integer(status[name]) > replicas) {
      out.push(field.invalid(`status.${name}`, integer(status[name]), 'cannot be greater than status.replicas'));
    }
  }
  if (integer(status.availableReplicas) > integer(status.readyReplicas)) {
    const detail = `cannot be greater than ${readyName}`;
    out.push(field.invalid('status.availableReplicas', integer(status.availableReplicas), detail));
  }
}

/** The number of name collisions only grows. */
export function collisionErrors(out: Out, object: KubeObject, old: KubeObject): void {
  const before = record(old.status).collisionCount;
  const after = record(object.status).collisionCount;
  if (!isSet(before) || (isSet(after) && integer(after) >= integer(before))) return;
  out.push(field.invalid('status.collisionCount', integer(after), 'cannot be decremented'));
}

export function validateDeploymentStatus(deployment: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const status = record(deployment.status);
    nonNegatives(out, 'status', status, [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ]);
    countErrors(out, status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], 'readyReplicas');
    collisionErrors(out, deployment, old);
  });
}

function replicaSetErrors(out: Out, set: KubeObject, old: KubeObject | undefined, capabilities: Capabilities): void {
  const spec = record(set.spec);
  nonNegatives(out, 'spec', spec, ['replicas', 'minReadySeconds']);
  requiredSelectorErrors(out, spec.selector, 'deployment');
  replicaTemplateErrors(out, spec, old === undefined ? undefined : record(old.spec), capabilities);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/ */
export const validateReplicaSet = (
  set: KubeObject,
  old: KubeObject | undefined,
  capabilities: Capabilities,
): FieldError[] => collect((out) => replicaSetErrors(out, set, old, capabilities));

export function validateReplicaSetUpdate(set: KubeObject, old: KubeObject, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    replicaSetErrors(out, set, old, capabilities);
    selectorUnchanged(out, set, old);
  });
}

const replicaCounts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

/** Of ReplicaSets and ReplicationControllers. */
export function validateReplicaStatus(object: KubeObject): FieldError[] {
  return collect((out) => {
    const status = record(object.status);
    nonNegatives(out, 'status', status, ['replicas', ...replicaCounts, 'observedGeneration', 'terminatingReplicas']);
    countErrors(out, status, replicaCounts, 'readyReplicas');
  });
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/ */
export function validateReplicationController(
  controller: KubeObject,
  old: KubeObject | undefined,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    const spec = record(controller.spec);
    const selector = textMap(spec.selector);
    nonNegative(out, 'spec.minReadySeconds', spec.minReadySeconds);
    if (Object.keys(selector).length === 0) out.push(field.required('spec.selector'));
    if (!isSet(spec.replicas)) out.push(field.required('spec.replicas'));
    nonNegative(out, 'spec.replicas', spec.replicas);
    if (!isSet(spec.template)) {
      out.push(field.required('spec.template'));
      return;
    }
    const metadata = at(spec.template, 'metadata');
    const own = textMap(at(metadata, 'labels'));
    if (Object.entries(selector).some(([name, value]) => own[name] !== value)) {
      out.push(field.invalid('spec.template.metadata.labels', shownMember(metadata, 'labels'), mismatch));
    }
    podTemplateErrors(out, 'spec.template', spec.template, at(old?.spec, 'template'), capabilities);
    alwaysRunningErrors(out, 'spec.template', spec.template, 'ReplicationController');
  });
}

export const validatePodTemplate = (
  object: KubeObject,
  old: KubeObject | undefined,
  capabilities: Capabilities,
): FieldError[] => collect((out) => podTemplateErrors(out, 'template', object.template, old?.template, capabilities));

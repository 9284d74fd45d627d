import type { LabelSelector } from '@apichain/api/meta/v1';
import type {
  Deployment,
  ReplicaSet,
  ReplicaSetStatus,
  DeploymentSpec,
  DeploymentStrategy,
  ReplicaSetSpec,
  RollingUpdateDeployment,
} from '@apichain/api/apps/v1';
import type { ReplicationController, PodTemplate, PodTemplateSpec } from '@apichain/api/core/v1';
import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { amountOf, intOrPercent, notMoreThan100Percent } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { collect, immutable, nonNegative, nonNegatives, type Out, shownMember } from '../common/rules.ts';
import { isEmptySelector, labelSelectorErrors, matchingForm, shownSelector } from '../common/selectors.ts';
import type { Capabilities } from '../pod/context.ts';
import { alwaysRunningErrors, podTemplateErrors } from '../pod/template.ts';

export const mismatch = '`selector` does not match template `labels`';

/** Adds an error when the selector does not select the pods of the template. An absent selector selects nothing. */
export function templateMatchErrors(out: Out, spec: NonNullable<Templated['spec']>, path = 'spec'): void {
  const selector = matchingForm(spec.selector);
  if (selector === undefined || selector.empty) return;
  const metadata = spec.template?.metadata;
  if (!selector.matches(metadata?.labels ?? {})) {
    out.push(field.invalid(`${path}.template.metadata.labels`, shownMember(metadata, 'labels'), mismatch));
  }
}

/** Kinds with a pod template. */
interface Templated extends KubeObject {
  spec?: { template?: PodTemplateSpec; selector?: LabelSelector | null };
}
interface Selecting extends KubeObject {
  spec?: { selector?: LabelSelector | null };
}
interface Colliding extends KubeObject {
  status?: { collisionCount?: number };
}

/** The selector must be present and not empty. `kind` is its name in the message. */
export function requiredSelectorErrors(out: Out, selector: LabelSelector | null | undefined, kind: string): void {
  if (!isSet(selector)) {
    out.push(field.required('spec.selector'));
    return;
  }
  labelSelectorErrors(out, 'spec.selector', selector);
  if (isEmptySelector(selector)) {
    out.push(field.invalid('spec.selector', shownSelector(selector), `empty selector is invalid for ${kind}`));
  }
}

function replicaTemplateErrors(
  out: Out,
  spec: DeploymentSpec | ReplicaSetSpec,
  old: Templated['spec'],
  capabilities: Capabilities,
): void {
  if (matchingForm(spec.selector) === undefined) {
    out.push(field.invalid('spec.selector', shownSelector(spec.selector), 'invalid label selector'));
    return;
  }
  templateMatchErrors(out, spec);
  podTemplateErrors(out, 'spec.template', spec.template, old?.template, capabilities);
  alwaysRunningErrors(out, 'spec.template', spec.template, 'ReplicaSet');
}

function rollingUpdateErrors(out: Out, path: string, rolling: RollingUpdateDeployment): void {
  intOrPercent(out, `${path}.maxUnavailable`, rolling.maxUnavailable);
  intOrPercent(out, `${path}.maxSurge`, rolling.maxSurge);
  if (amountOf(rolling.maxUnavailable) === 0 && amountOf(rolling.maxSurge) === 0) {
    const detail = 'may not be 0 when `maxSurge` is 0';
    out.push(field.invalid(`${path}.maxUnavailable`, rolling.maxUnavailable ?? 0, detail));
  }
  notMoreThan100Percent(out, `${path}.maxUnavailable`, rolling.maxUnavailable);
}

function strategyErrors(out: Out, strategy: DeploymentStrategy): void {
  const path = 'spec.strategy';
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'Recreate') {
    if (isSet(rolling)) {
      out.push(field.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"));
    }
  } else if (strategy.type === 'RollingUpdate') {
    if (!isSet(rolling)) {
      out.push(field.required(`${path}.rollingUpdate`, 'this should be defaulted and never be nil'));
    } else rollingUpdateErrors(out, `${path}.rollingUpdate`, rolling);
  } else {
    const shown = goValue('apps.v1.DeploymentStrategy', strategy);
    out.push(field.notSupported(path, shown, ['Recreate', 'RollingUpdate']));
  }
}

function deploymentErrors(
  out: Out,
  deployment: Deployment,
  old: Deployment | undefined,
  capabilities: Capabilities,
): void {
  const spec = deployment.spec ?? {};
  nonNegative(out, 'spec.replicas', spec.replicas);
  requiredSelectorErrors(out, spec.selector, 'deployment');
  replicaTemplateErrors(out, spec, old === undefined ? undefined : (old.spec ?? {}), capabilities);
  strategyErrors(out, spec.strategy ?? {});
  nonNegatives(out, 'spec', spec, ['minReadySeconds', 'revisionHistoryLimit']);
  if (!isSet(spec.progressDeadlineSeconds)) return;
  nonNegative(out, 'spec.progressDeadlineSeconds', spec.progressDeadlineSeconds);
  if ((spec.progressDeadlineSeconds ?? 0) <= (spec.minReadySeconds ?? 0)) {
    const detail = 'must be greater than minReadySeconds';
    out.push(field.invalid('spec.progressDeadlineSeconds', spec.progressDeadlineSeconds, detail));
  }
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ */
export const validateDeployment = (deployment: Deployment, _old: undefined, capabilities: Capabilities): FieldError[] =>
  collect((out) => deploymentErrors(out, deployment, undefined, capabilities));

export function validateDeploymentUpdate(
  deployment: Deployment,
  old: Deployment,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    deploymentErrors(out, deployment, old, capabilities);
    selectorUnchanged(out, deployment, old);
  });
}

export function selectorUnchanged(out: Out, object: Selecting, old: Selecting): void {
  const selector = object.spec?.selector;
  immutable(out, 'spec.selector', selector, old.spec?.selector, shownSelector(selector));
}

/** Counters of a status that cannot exceed the number of replicas. */
export function countErrors<Name extends string>(
  out: Out,
  status: { readonly [Member in Name | 'replicas' | 'availableReplicas' | 'readyReplicas']?: number },
  names: readonly Name[],
  readyName: string,
): void {
  const replicas = status.replicas ?? 0;
  for (const name of names) {
    const count: number = status[name] ?? 0;
    if (count > replicas) {
      out.push(field.invalid(`status.${name}`, count, 'cannot be greater than status.replicas'));
    }
  }
  if ((status.availableReplicas ?? 0) > (status.readyReplicas ?? 0)) {
    const detail = `cannot be greater than ${readyName}`;
    out.push(field.invalid('status.availableReplicas', status.availableReplicas ?? 0, detail));
  }
}

/** The number of name collisions cannot decrease. */
export function collisionErrors(out: Out, object: Colliding, old: Colliding): void {
  const before = old.status?.collisionCount;
  const after = object.status?.collisionCount;
  if (!isSet(before) || (isSet(after) && after >= before)) return;
  out.push(field.invalid('status.collisionCount', after ?? 0, 'cannot be decremented'));
}

export function validateDeploymentStatus(deployment: Deployment, old: Deployment): FieldError[] {
  return collect((out) => {
    const status = deployment.status ?? {};
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

function replicaSetErrors(out: Out, set: ReplicaSet, old: ReplicaSet | undefined, capabilities: Capabilities): void {
  const spec = set.spec ?? {};
  nonNegatives(out, 'spec', spec, ['replicas', 'minReadySeconds']);
  requiredSelectorErrors(out, spec.selector, 'deployment');
  replicaTemplateErrors(out, spec, old === undefined ? undefined : (old.spec ?? {}), capabilities);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/ */
export const validateReplicaSet = (
  set: ReplicaSet,
  old: ReplicaSet | undefined,
  capabilities: Capabilities,
): FieldError[] => collect((out) => replicaSetErrors(out, set, old, capabilities));

export function validateReplicaSetUpdate(set: ReplicaSet, old: ReplicaSet, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    replicaSetErrors(out, set, old, capabilities);
    selectorUnchanged(out, set, old);
  });
}

const replicaCounts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** Checks the status of ReplicaSets and ReplicationControllers. */
export function validateReplicaStatus(object: ReplicaSet | ReplicationController): FieldError[] {
  return collect((out) => {
    // The status of a ReplicationController has the same fields except `terminatingReplicas`.
    const status: ReplicaSetStatus = object.status ?? {};
    nonNegatives(out, 'status', status, ['replicas', ...replicaCounts, 'observedGeneration', 'terminatingReplicas']);
    countErrors(out, status, replicaCounts, 'readyReplicas');
  });
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/ */
export function validateReplicationController(
  controller: ReplicationController,
  old: ReplicationController | undefined,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    const spec = controller.spec ?? {};
    const selector = spec.selector ?? {};
    nonNegative(out, 'spec.minReadySeconds', spec.minReadySeconds);
    if (Object.keys(selector).length === 0) out.push(field.required('spec.selector'));
    if (!isSet(spec.replicas)) out.push(field.required('spec.replicas'));
    nonNegative(out, 'spec.replicas', spec.replicas);
    if (!isSet(spec.template)) {
      out.push(field.required('spec.template'));
      return;
    }
    const metadata = spec.template?.metadata;
    const own = metadata?.labels ?? {};
    if (Object.entries(selector).some(([name, value]) => own[name] !== value)) {
      out.push(field.invalid('spec.template.metadata.labels', shownMember(metadata, 'labels'), mismatch));
    }
    podTemplateErrors(out, 'spec.template', spec.template, old?.spec?.template, capabilities);
    alwaysRunningErrors(out, 'spec.template', spec.template, 'ReplicationController');
  });
}

export const validatePodTemplate = (
  object: PodTemplate,
  old: PodTemplate | undefined,
  capabilities: Capabilities,
): FieldError[] => collect((out) => podTemplateErrors(out, 'template', object.template, old?.template, capabilities));

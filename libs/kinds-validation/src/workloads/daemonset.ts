import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, type Plain, record } from '@apichain/kinds';
import { amountOf, intOrPercent, notMoreThan100Percent } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { collect, nonNegative, nonNegatives, type Out } from '../common/rules.ts';
import { hasBadSelectorValues, isEmptySelector, labelSelectorErrors, shownSelector } from '../common/selectors.ts';
import type { Capabilities } from '../pod/capabilities.ts';
import { alwaysRunningErrors, podTemplateErrors } from '../pod/template.ts';
import { collisionErrors, selectorUnchanged, templateMatchErrors } from './controllers.ts';

function rollingUpdateErrors(out: Out, path: string, rolling: Plain): void {
  const { maxUnavailable, maxSurge } = rolling;
  intOrPercent(out, `${path}.maxUnavailable`, maxUnavailable);
  notMoreThan100Percent(out, `${path}.maxUnavailable`, maxUnavailable);
  intOrPercent(out, `${path}.maxSurge`, maxSurge);
  notMoreThan100Percent(out, `${path}.maxSurge`, maxSurge);
  const hasUnavailable = amountOf(maxUnavailable) !== 0;
  const hasSurge = amountOf(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    out.push(field.invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (!hasUnavailable && !hasSurge) {
    out.push(field.required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
}

function strategyErrors(out: Out, strategy: Plain): void {
  const path = 'spec.updateStrategy';
  if (strategy.type === 'OnDelete') return;
  if (strategy.type !== 'RollingUpdate') {
    const shown = goValue('apps.v1.DaemonSetUpdateStrategy', strategy);
    out.push(field.notSupported(path, shown, ['RollingUpdate', 'OnDelete']));
  } else if (!isSet(strategy.rollingUpdate)) out.push(field.required(`${path}.rollingUpdate`));
  else rollingUpdateErrors(out, `${path}.rollingUpdate`, record(strategy.rollingUpdate));
}

function daemonSetErrors(
  out: Out,
  daemonSet: KubeObject,
  old: KubeObject | undefined,
  capabilities: Capabilities,
): void {
  const spec = record(daemonSet.spec);
  labelSelectorErrors(out, 'spec.selector', spec.selector, hasBadSelectorValues(at(old?.spec, 'selector')));
  templateMatchErrors(out, spec);
  if (isSet(spec.selector) && isEmptySelector(spec.selector)) {
    out.push(field.invalid('spec.selector', shownSelector(spec.selector), 'empty selector is invalid for daemonset'));
  }
  podTemplateErrors(out, 'spec.template', spec.template, at(old?.spec, 'template'), capabilities);
  alwaysRunningErrors(out, 'spec.template', spec.template, 'DaemonSet');
  nonNegative(out, 'spec.minReadySeconds', spec.minReadySeconds);
  strategyErrors(out, record(spec.updateStrategy));
  nonNegative(out, 'spec.revisionHistoryLimit', spec.revisionHistoryLimit);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ */
export const validateDaemonSet = (
  daemonSet: KubeObject,
  old: KubeObject | undefined,
  capabilities: Capabilities,
): FieldError[] => collect((out) => daemonSetErrors(out, daemonSet, old, capabilities));

export function validateDaemonSetUpdate(
  daemonSet: KubeObject,
  old: KubeObject,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    selectorUnchanged(out, daemonSet, old);
    daemonSetErrors(out, daemonSet, old, capabilities);
  });
}

export function validateDaemonSetStatus(daemonSet: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    nonNegatives(out, 'status', daemonSet.status, [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ]);
    collisionErrors(out, daemonSet, old);
  });
}

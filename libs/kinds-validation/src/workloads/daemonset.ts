import type { DaemonSet, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from '@apichain/api/apps/v1';
import { field, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { amountOf, intOrPercent, notMoreThan100Percent } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { collect, nonNegative, nonNegatives, type Out } from '../common/rules.ts';
import { hasBadSelectorValues, isEmptySelector, labelSelectorErrors, shownSelector } from '../common/selectors.ts';
import type { Capabilities } from '../pod/context.ts';
import { alwaysRunningErrors, podTemplateErrors } from '../pod/template.ts';
import { collisionErrors, selectorUnchanged, templateMatchErrors } from './controllers.ts';

function rollingUpdateErrors(out: Out, path: string, rolling: RollingUpdateDaemonSet): void {
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

function strategyErrors(out: Out, strategy: DaemonSetUpdateStrategy): void {
  const path = 'spec.updateStrategy';
  if (strategy.type === 'OnDelete') return;
  if (strategy.type !== 'RollingUpdate') {
    const shown = goValue('apps.v1.DaemonSetUpdateStrategy', strategy);
    out.push(field.notSupported(path, shown, ['RollingUpdate', 'OnDelete']));
  } else if (!isSet(strategy.rollingUpdate)) out.push(field.required(`${path}.rollingUpdate`));
  else rollingUpdateErrors(out, `${path}.rollingUpdate`, strategy.rollingUpdate ?? {});
}

function daemonSetErrors(out: Out, daemonSet: DaemonSet, old: DaemonSet | undefined, capabilities: Capabilities): void {
  const spec = daemonSet.spec ?? {};
  labelSelectorErrors(out, 'spec.selector', spec.selector, hasBadSelectorValues(old?.spec?.selector));
  templateMatchErrors(out, spec);
  if (isSet(spec.selector) && isEmptySelector(spec.selector)) {
    out.push(field.invalid('spec.selector', shownSelector(spec.selector), 'empty selector is invalid for daemonset'));
  }
  podTemplateErrors(out, 'spec.template', spec.template, old?.spec?.template, capabilities);
  alwaysRunningErrors(out, 'spec.template', spec.template, 'DaemonSet');
  nonNegative(out, 'spec.minReadySeconds', spec.minReadySeconds);
  strategyErrors(out, spec.updateStrategy ?? {});
  nonNegative(out, 'spec.revisionHistoryLimit', spec.revisionHistoryLimit);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ */
export const validateDaemonSet = (
  daemonSet: DaemonSet,
  old: DaemonSet | undefined,
  capabilities: Capabilities,
): FieldError[] => collect((out) => daemonSetErrors(out, daemonSet, old, capabilities));

export function validateDaemonSetUpdate(
  daemonSet: DaemonSet,
  old: DaemonSet,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    selectorUnchanged(out, daemonSet, old);
    daemonSetErrors(out, daemonSet, old, capabilities);
  });
}

export function validateDaemonSetStatus(daemonSet: DaemonSet, old: DaemonSet): FieldError[] {
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

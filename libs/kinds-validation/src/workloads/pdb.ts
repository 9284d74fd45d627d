import type { PodDisruptionBudget } from '@apichain/api/policy/v1';
import { field, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { conditionErrors } from '../common/conditions.ts';
import { intOrPercent, notMoreThan100Percent } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { choice, collect, nonNegatives } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors } from '../common/selectors.ts';

/** https://kubernetes.io/docs/tasks/run-application/configure-pdb/ */
export function validateDisruptionBudget(budget: PodDisruptionBudget, old?: PodDisruptionBudget): FieldError[] {
  return collect((out) => {
    const spec = budget.spec ?? {};
    if (isSet(spec.minAvailable) && isSet(spec.maxUnavailable)) {
      const shown = goValue('policy.v1.PodDisruptionBudgetSpec', spec);
      out.push(field.invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'));
    }
    for (const name of ['minAvailable', 'maxUnavailable'] as const) {
      if (!isSet(spec[name])) continue;
      intOrPercent(out, `spec.${name}`, spec[name]);
      notMoreThan100Percent(out, `spec.${name}`, spec[name]);
    }
    const anyValues = hasBadSelectorValues(old?.spec?.selector);
    labelSelectorErrors(out, 'spec.selector', spec.selector, anyValues);
    choice(out, 'spec.unhealthyPodEvictionPolicy', spec.unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget']);
  });
}

export function validateDisruptionBudgetStatus(budget: PodDisruptionBudget): FieldError[] {
  return collect((out) => {
    const counters = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
    conditionErrors(out, 'status.conditions', budget.status?.conditions);
    nonNegatives(out, 'status', budget.status, counters);
  });
}

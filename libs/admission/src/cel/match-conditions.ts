import type { MatchCondition } from '@apichain/api/admissionregistration/v1';
import { admissionEnvironment, admissionResults, compileExpression, type CompiledExpression } from '@apichain/cel';
import { aggregateMessage } from '@apichain/meta';
import { activation, settled, type Evaluation } from './activation.ts';

/** Runtime cost budgets: for all match conditions of one webhook or policy, and for one expression. After k8s.io/apiserver/pkg/apis/cel. */
const matchConditionsBudget = 2_500_000;
export const perCallLimit = 1_000_000;

/** `error` is only set when errors count: with failurePolicy Ignore, an error means that the conditions do not match. */
interface MatchOutcome {
  readonly matches: boolean;
  readonly error?: string;
}
/** Precompiled `matchConditions`. */
export interface MatchConditions {
  evaluate(evaluation: Evaluation): Promise<MatchOutcome>;
}

type Condition = { readonly expression: string; readonly compiled: CompiledExpression };

/** Undefined = there are no conditions. After k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions. */
export function compileMatchConditions(
  conditions: readonly MatchCondition[],
  failOpen: boolean,
  params = false,
): MatchConditions | undefined {
  if (conditions.length === 0) return undefined;
  const environment = admissionEnvironment({ params, authorizer: true });
  const ready = conditions.map((condition): Condition => {
    const expression = condition.expression ?? '';
    return { expression, compiled: compileExpression(expression, environment, admissionResults.condition) };
  });
  return {
    async evaluate(evaluation) {
      const values = activation(evaluation);
      return settled(() => outcomeOf(ready, values, failOpen));
    },
  };
}

function outcomeOf(
  conditions: readonly Condition[],
  values: ReturnType<typeof activation>,
  failOpen: boolean,
): MatchOutcome {
  const errors: string[] = [];
  let budget = matchConditionsBudget;
  for (const { expression, compiled } of conditions) {
    if ('error' in compiled) {
      errors.push(`compilation error: ${compiled.error}`);
      continue;
    }
    const { value, error, cost } = compiled.program(values, perCallLimit);
    budget -= cost;
    if (budget < 0) {
      errors.push('validation failed due to running out of cost budget, no further validation rules will be run');
      break;
    }
    if (error !== undefined) errors.push(`expression '${expression}' resulted in error: ${error.message}`);
    else if (value === false) return { matches: false };
    else if (value !== true) errors.push(`expression '${expression}' resulted in error: must evaluate to bool`);
  }
  if (errors.length === 0) return { matches: true };
  return failOpen ? { matches: false } : { matches: false, error: aggregateMessage(errors) };
}

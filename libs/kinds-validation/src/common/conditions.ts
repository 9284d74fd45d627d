import type { Condition } from '@apichain/api/meta/v1';
import { byteLength, field, integer, isConditionReason, isQualifiedName, isSet } from '@apichain/meta';
import { checkEach, invalidEach, type Out } from './rules.ts';

const statuses = ['False', 'True', 'Unknown'];
const longestReason = 1024;
const longestMessage = 32 * 1024;

/** Checks a list of meta/v1 Conditions. */
export function conditionErrors(out: Out, path: string, conditions: readonly Condition[] | null | undefined): void {
  const seen = new Set<string>();
  checkEach(out, conditions ?? [], (out, condition, i) => {
    const at = `${path}[${i}]`;
    const { type = '', status = '', reason = '', message = '' } = condition;
    if (seen.has(type)) out.push(field.duplicate(`${at}.type`, type));
    seen.add(type);
    invalidEach(out, `${at}.type`, type, isQualifiedName(type));
    if (!statuses.includes(status)) out.push(field.notSupported(`${at}.status`, status, statuses));
    if (integer(condition.observedGeneration) < 0) {
      out.push(
        field.invalid(
          `${at}.observedGeneration`,
          condition.observedGeneration,
          'must be greater than or equal to zero',
        ),
      );
    }
    if (!isSet(condition.lastTransitionTime)) out.push(field.required(`${at}.lastTransitionTime`));
    if (reason === '') out.push(field.required(`${at}.reason`));
    else {
      invalidEach(out, `${at}.reason`, reason, isConditionReason(reason));
      if (byteLength(reason) > longestReason) out.push(field.tooLong(`${at}.reason`, longestReason));
    }
    if (byteLength(message) > longestMessage) out.push(field.tooLong(`${at}.message`, longestMessage));
  });
}

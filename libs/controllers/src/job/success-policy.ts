import type { SuccessPolicy } from '@apichain/api/batch/v1';
import { type Indexes, overlap, parseIndexes, sizeOf } from './indexes.ts';

/**
 * Why a job has succeeded before all of its indexes have. Undefined if no rule of the policy is met.
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy
 */
export function metSuccessRule(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: Indexes,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount = Infinity }) => {
    if (succeededIndexes === undefined) return sizeOf(succeeded) >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    if (required.length === 0) return false;
    const met = overlap(required, succeeded);
    return met === sizeOf(required) || met >= succeededCount;
  });
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}

import type { JobCondition } from '@apichain/api/batch/v1';
import { timestamp } from '../timestamps.ts';
import type { Outcome } from './outcome.ts';

/** A condition of a job. */
export function newCondition(outcome: Outcome, now: number, status: 'True' | 'False' = 'True'): JobCondition {
  const time = timestamp(now);
  const { type, reason, message } = outcome;
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** Sets a condition. One that is False is not added. Returns whether the list has changed. */
export function setCondition(conditions: JobCondition[], condition: JobCondition): boolean {
  const position = conditions.findIndex(({ type }) => type === condition.type);
  const { status, reason, message } = condition;
  const known = conditions[position];
  if (known === undefined) {
    if (status === 'True') conditions.push(condition);
    return status === 'True';
  }
  if (known.status === status && known.reason === reason && known.message === message) return false;
  conditions[position] = condition;
  return true;
}

import type { Deployment, DeploymentCondition, ReplicaSet } from '@apichain/api/apps/v1';
import { currentTimestamp, findCondition } from '@apichain/meta';

/** A condition that is true, false or unknown from now on. */
export function newCondition(type: string, status: string, reason: string, message: string): DeploymentCondition {
  const now = currentTimestamp();
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

/** The conditions with another one. One with the same status and reason stays as it is. */
export function setCondition(
  conditions: readonly DeploymentCondition[],
  condition: DeploymentCondition,
): readonly DeploymentCondition[] {
  const before = findCondition(conditions, condition.type ?? '');
  if (before?.status === condition.status && before?.reason === condition.reason) return conditions;
  const { lastTransitionTime } = before !== undefined && before.status === condition.status ? before : condition;
  return [
    ...removeCondition(conditions, condition.type ?? ''),
    { ...condition, ...(lastTransitionTime !== undefined && { lastTransitionTime }) },
  ];
}

export const removeCondition = (
  conditions: readonly DeploymentCondition[],
  type: string,
): readonly DeploymentCondition[] => conditions.filter((condition) => condition.type !== type);

/** Whether a Deployment reports a lack of progress. */
export const hasProgressDeadline = ({ spec }: Deployment): boolean =>
  spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;

/** The conditions after a pause or a resumption, which stop the progress deadline. Undefined if neither is new. */
export function pauseConditions(deployment: Deployment): readonly DeploymentCondition[] | undefined {
  if (!hasProgressDeadline(deployment)) return undefined;
  const conditions = deployment.status?.conditions ?? [];
  const reason = findCondition(conditions, 'Progressing')?.reason;
  const isPaused = deployment.spec?.paused === true;
  // A lack of progress remains visible.
  if (reason === 'ProgressDeadlineExceeded' || isPaused === (reason === 'DeploymentPaused')) return undefined;
  const condition = isPaused
    ? newCondition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused')
    : newCondition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed');
  return setCondition(conditions, condition);
}

/** The failure of a ReplicaSet to create or delete pods, that of the current one before others. */
export function replicaFailure(
  current: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
): DeploymentCondition | undefined {
  for (const set of current === undefined ? sets : [current, ...sets]) {
    const failure = findCondition(set.status?.conditions, 'ReplicaFailure');
    if (failure === undefined) continue;
    const { lastTransitionTime } = failure;
    return { ...failure, ...(lastTransitionTime !== undefined && { lastUpdateTime: lastTransitionTime }) };
  }
  return undefined;
}

import { currentTimestamp } from '@apichain/meta';
import { findCondition, type CrdCondition, type CustomResourceDefinition } from '@apichain/schema';

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

type NewCondition = Omit<CrdCondition, 'lastTransitionTime'>;

/** Sets a condition in place. Its time changes only when its status does. */
export function setCondition(crd: CustomResourceDefinition, condition: NewCondition): void {
  const status = (crd.status ??= {});
  const existing = findCondition(crd, condition.type);
  if (existing === undefined) {
    status.conditions = [...(status.conditions ?? []), { ...condition, lastTransitionTime: currentTimestamp() }];
    return;
  }
  if (existing.status !== condition.status || !existing.lastTransitionTime)
    existing.lastTransitionTime = currentTimestamp();
  Object.assign(existing, condition);
}

export function removeCondition(crd: CustomResourceDefinition, type: string): void {
  if (crd.status?.conditions !== undefined)
    crd.status.conditions = crd.status.conditions.filter((c) => c.type !== type);
}

/** Equal except for times. */
export const sameCondition = (a: NewCondition | undefined, b: NewCondition | undefined): boolean =>
  a?.status === b?.status && a?.reason === b?.reason && a?.message === b?.message && a?.type === b?.type;

export const condition = (
  type: string,
  status: CrdCondition['status'],
  reason: string,
  message: string,
): NewCondition => ({ type, status, reason, message });

import { goQuote } from '@apichain/go-text';

export const apiApprovedAnnotation = 'api-approved.kubernetes.io';

/**
 * The state of the annotation `api-approved.kubernetes.io` of a CRD in a protected group:
 * https://github.com/kubernetes/enhancements/pull/1111
 */
export type ApprovalState = 'approved' | 'bypassed' | 'missing' | 'invalid';
export interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

/** Whether the Kubernetes community owns the group: `k8s.io`, `kubernetes.io` and their subdomains. */
export const isProtectedGroup = (group: string): boolean =>
  ['k8s.io', 'kubernetes.io'].some((owned) => group === owned || group.endsWith(`.${owned}`));

/** Reads the approval annotation. https://github.com/kubernetes/enhancements/pull/1111 */
export function approvalState(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const annotation = annotations?.[apiApprovedAnnotation] ?? '';
  if (annotation === '')
    return {
      state: 'missing',
      reason: `protected groups must have approval annotation ${goQuote(apiApprovedAnnotation)}, see https://github.com/kubernetes/enhancements/pull/1111`,
    };
  if (annotation.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${goQuote(annotation)}` };
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+/.test(annotation))
    return { state: 'approved', reason: `approved in ${annotation}` };
  return {
    state: 'invalid',
    reason: `protected groups must have approval annotation ${goQuote(apiApprovedAnnotation)} with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
  };
}

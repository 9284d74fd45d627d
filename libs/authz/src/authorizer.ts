import type { UserInfo } from '@apichain/authn';

/** What is asked: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export type Decision = 'Allow' | 'Deny' | 'NoOpinion';

export interface AuthorizationResult {
  readonly decision: Decision;
  readonly reason: string;
  readonly evaluationError?: string;
}

/** One rule set; several are asked in order and the first Allow or Deny stands. */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult;
}

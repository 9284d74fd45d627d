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

/** NoOpinion leaves the question to the next authorizer; when nobody decides, the answer is no. */
export type Decision = 'Allow' | 'Deny' | 'NoOpinion';

/** An answer, the reason for it, and what went wrong on the way if anything did. */
export interface AuthorizationResult {
  readonly decision: Decision;
  readonly reason: string;
  readonly evaluationError?: string;
}

/** What somebody may do to resources. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** What somebody may do to paths outside of resources. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules that a user has in a namespace, as far as an authorizer can list them. */
export interface RuleList {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** There may be more. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** One rule set; several are asked in order and the first Allow or Deny stands. */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult;
  /** Absent where the rules of a user cannot be told at all (SelfSubjectRulesReview). */
  rulesFor?(user: UserInfo, namespace: string): Promise<RuleList> | RuleList;
}

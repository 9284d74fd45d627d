import type { UserInfo } from '@apichain/authn';

/** The attributes of a request: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes */
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

const noTarget = {
  path: '',
  apiGroup: '',
  apiVersion: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
} as const;

/** Asks for a verb on a resource. What is not given is ''. */
export const resourceAttributes = (
  asked: Pick<AuthorizationAttributes, 'user' | 'verb'> & Partial<AuthorizationAttributes>,
): AuthorizationAttributes => ({ isResourceRequest: true, ...noTarget, ...asked });

/** Asks for a verb on a path that is no resource. */
export const pathAttributes = (user: UserInfo, verb: string, path: string): AuthorizationAttributes => ({
  isResourceRequest: false,
  ...noTarget,
  user,
  verb,
  path,
});

/** NoOpinion leaves the decision to the next authorizer. A request on which no authorizer decides is denied. */
export type Decision = 'Allow' | 'Deny' | 'NoOpinion';

/** A decision with its reason, and the error of the evaluation if there was one. */
export interface AuthorizationResult {
  readonly decision: Decision;
  readonly reason: string;
  readonly evaluationError?: string;
}

/** Permissions for resources. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Permissions for non-resource paths. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of a user in a namespace, as far as an authorizer can list them. */
export interface RuleList {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** The user may have further rules. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** The rules of an authorizer that knows none. */
export const noRules: RuleList = { resourceRules: [], nonResourceRules: [], incomplete: false };

/** One authorizer. Several are asked in order; the first Allow or Deny decides. */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult;
  /** Absent when the authorizer cannot list the rules of a user at all (SelfSubjectRulesReview). */
  rulesFor?(user: UserInfo, namespace: string): Promise<RuleList> | RuleList;
}

/** The current authorizer, which can be replaced while requests are served. */
export class ReplaceableAuthorizer implements Authorizer {
  #current: Authorizer;

  constructor(first: Authorizer) {
    this.#current = first;
  }

  replace(next: Authorizer): void {
    this.#current = next;
  }

  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult {
    return this.#current.authorize(attributes);
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<RuleList> {
    return (await this.#current.rulesFor?.(user, namespace)) ?? noRules;
  }
}

/** The attributes of an authorization check, as far as an expression has set them. */
export interface AuthorizationQuery {
  /** `system:serviceaccount:ns:name` if the expression checks a service account; otherwise the user of the request is checked. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  /** Set for a non-resource path. */
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** The result of `check` in an expression. */
export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Authorizes synchronously. Throws PendingAuthorization if the decision is not available yet. */
export type Authorize = (query: AuthorizationQuery) => AuthorizationDecision;

/** The decision is not available yet. The evaluation must be repeated when `ready` has resolved. Expressions cannot catch this error. */
export class PendingAuthorization extends Error {
  override readonly name = 'PendingAuthorization';
  readonly ready: Promise<void>;
  constructor(ready: Promise<void>) {
    super('waiting for the authorizer');
    this.ready = ready;
  }
}

const prefix = 'kubernetes.authorization.';
export const authorizerName = `${prefix}Authorizer`;
export const pathCheckName = `${prefix}PathCheck`;
export const groupCheckName = `${prefix}GroupCheck`;
export const resourceCheckName = `${prefix}ResourceCheck`;
export const decisionName = `${prefix}Decision`;

type Partial = Omit<AuthorizationQuery, 'verb'>;

class Check {
  readonly authorize: Authorize;
  readonly query: Partial;
  constructor(authorize: Authorize, query: Partial) {
    this.authorize = authorize;
    this.query = query;
  }
}

/** The variable `authorizer` of an expression: a user whose permissions can be checked. */
export class AuthorizerValue extends Check {
  readonly step = 'authorizer';
}
export class PathCheck extends Check {
  readonly step = 'path';
}
export class GroupCheck extends Check {
  readonly step = 'group';
}

/** A check for a resource that an expression is building: `authorizer.group(...).resource(...)`. */
export class ResourceCheck extends Check {
  readonly step = 'resource';
}
export class DecisionValue {
  readonly decision: AuthorizationDecision;
  constructor(decision: AuthorizationDecision) {
    this.decision = decision;
  }
}
export type AuthorizationValue = AuthorizerValue | PathCheck | GroupCheck | ResourceCheck | DecisionValue;

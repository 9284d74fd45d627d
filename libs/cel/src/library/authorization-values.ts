/** A question to the authorizer, as far as an expression has put it together. */
export interface AuthorizationQuery {
  /** `system:serviceaccount:ns:name` where the expression asks for a service account; else the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  /** Set = a path outside of resources. */
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** What an expression learns from `check`. */
export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Answers at once; one that cannot throws PendingAuthorization. */
export type Authorize = (query: AuthorizationQuery) => AuthorizationAnswer;

/** The answer is not there yet: the evaluation is to be repeated when `ready` has resolved. No expression can catch it. */
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

/** The variable `authorizer` of an expression: a user whose rights can be asked about. */
export class AuthorizerValue extends Check {
  readonly step = 'authorizer';
}
export class PathCheck extends Check {
  readonly step = 'path';
}
export class GroupCheck extends Check {
  readonly step = 'group';
}

/** A question about a resource that an expression is building: `authorizer.group(...).resource(...)`. */
export class ResourceCheck extends Check {
  readonly step = 'resource';
}
export class DecisionValue {
  readonly answer: AuthorizationAnswer;
  constructor(answer: AuthorizationAnswer) {
    this.answer = answer;
  }
}
export type AuthorizationValue = AuthorizerValue | PathCheck | GroupCheck | ResourceCheck | DecisionValue;

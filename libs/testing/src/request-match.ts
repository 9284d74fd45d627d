import { scopeOf, type RequestScope } from '@apichain/request';
import { systemApiserver } from '@apichain/authn';
import type { IncomingMessage } from 'node:http';

/** Conditions on a request: every given field must be equal. Verbs are those of RBAC (get, list, watch, create, ...). */
export interface RequestMatch {
  readonly verb?: string;
  /** The empty string is the core group. */
  readonly group?: string;
  readonly version?: string;
  /** The plural name in lower case: `configmaps`. */
  readonly resource?: string;
  /** `status`, `scale`, ...; the empty string matches requests for the object itself. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: string;
}

/** The fields of a request that can be matched. */
export type RequestFacts = Required<RequestMatch>;

export function factsOf(scope: RequestScope): RequestFacts {
  const { verb, apiGroup, apiVersion, resource, subresource, namespace, name } = scope.requestInfo;
  return { verb, group: apiGroup, version: apiVersion, resource, subresource, namespace, name, user: scope.user.name };
}

export function matches(facts: RequestFacts, match: RequestMatch): boolean {
  return (Object.keys(match) as (keyof RequestMatch)[]).every(
    (field) => match[field] === undefined || match[field] === facts[field],
  );
}

/** Whether a request is one of the simulation, which has users of its own: kubelets and the scheduler. */
const isSimulated = ({ userAgent }: RequestScope): boolean => userAgent.endsWith(' (apichain)');

/** The scope of a client request. Undefined for requests of the chain itself. */
export function clientScope(request: IncomingMessage): RequestScope | undefined {
  const scope = scopeOf(request);
  return scope.user.name === systemApiserver || isSimulated(scope) ? undefined : scope;
}

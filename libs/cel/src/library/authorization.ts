import { asText, member, type Library, type Overload } from '../overload.ts';
import * as types from '../types.ts';
import { noSuchOverload, type Value } from '../values.ts';
import {
  authorizerName,
  AuthorizerValue,
  decisionName,
  DecisionValue,
  GroupCheck,
  groupCheckName,
  PathCheck,
  pathCheckName,
  ResourceCheck,
  resourceCheckName,
  type AuthorizationQuery,
} from './authorization-values.ts';

const { bool, string } = types;
export const authorizerType = types.opaque(authorizerName);
export const resourceCheckType = types.opaque(resourceCheckName);
const pathCheckType = types.opaque(pathCheckName);
const groupCheckType = types.opaque(groupCheckName);
const decisionType = types.opaque(decisionName);

function as<T extends Value>(v: Value | undefined, is: (v: Value) => v is T): T {
  if (v === undefined || !is(v)) throw noSuchOverload();
  return v;
}
const asAuthorizer = (v?: Value) => as(v, (x) => x instanceof AuthorizerValue);
const asGroup = (v?: Value) => as(v, (x) => x instanceof GroupCheck);
const asResource = (v?: Value) => as(v, (x) => x instanceof ResourceCheck);
const asDecision = (v?: Value) => as(v, (x) => x instanceof DecisionValue);

/** `check.fn(text)` sets an attribute of a resource check. */
const narrows = (fn: keyof AuthorizationQuery): readonly Overload[] => [
  member(`resourcecheck_${fn}`, [resourceCheckType, string], resourceCheckType, (check, text) => {
    const { authorize, query } = asResource(check);
    return new ResourceCheck(authorize, { ...query, [fn]: asText(text) });
  }),
];

/** After k8s.io/apiserver/pkg/cel/library/authz.go. */
export const authorizationLibrary: Library = {
  path: [
    member('authorizer_path', [authorizerType, string], pathCheckType, (authorizer, path) => {
      const { authorize, query } = asAuthorizer(authorizer);
      return new PathCheck(authorize, { ...query, path: asText(path) });
    }),
  ],
  group: [
    member('authorizer_group', [authorizerType, string], groupCheckType, (authorizer, group) => {
      const { authorize, query } = asAuthorizer(authorizer);
      return new GroupCheck(authorize, { ...query, group: asText(group) });
    }),
  ],
  serviceAccount: [
    member('authorizer_serviceaccount', [authorizerType, string, string], authorizerType, (authorizer, ns, name) => {
      const { authorize, query } = asAuthorizer(authorizer);
      return new AuthorizerValue(authorize, {
        ...query,
        serviceAccount: { namespace: asText(ns), name: asText(name) },
      });
    }),
  ],
  resource: [
    member('groupcheck_resource', [groupCheckType, string], resourceCheckType, (check, resource) => {
      const { authorize, query } = asGroup(check);
      return new ResourceCheck(authorize, { ...query, resource: asText(resource) });
    }),
  ],
  subresource: narrows('subresource'),
  namespace: narrows('namespace'),
  name: narrows('name'),
  fieldSelector: narrows('fieldSelector'),
  labelSelector: narrows('labelSelector'),
  check: [
    member('pathcheck_check', [pathCheckType, string], decisionType, (check, verb) => {
      const { authorize, query } = as(check, (x) => x instanceof PathCheck);
      return new DecisionValue(authorize({ ...query, verb: asText(verb) }));
    }),
    member('resourcecheck_check', [resourceCheckType, string], decisionType, (check, verb) => {
      const { authorize, query } = asResource(check);
      return new DecisionValue(authorize({ ...query, verb: asText(verb) }));
    }),
  ],
  allowed: [member('decision_allowed', [decisionType], bool, (d) => asDecision(d).decision.allowed)],
  reason: [member('decision_reason', [decisionType], string, (d) => asDecision(d).decision.reason)],
  errored: [member('decision_errored', [decisionType], bool, (d) => asDecision(d).decision.error !== undefined)],
  error: [member('decision_error', [decisionType], string, (d) => asDecision(d).decision.error ?? '')],
};

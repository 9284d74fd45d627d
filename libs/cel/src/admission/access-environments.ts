import * as types from '../types.ts';
import { declaredName, type CelType } from '../types.ts';
import { objectType, type ExpressionEnvironment } from './environment.ts';

const { string, dyn } = types;
const strings = types.list(string);

/** The fields of a user, in access reviews and in rules about users. */
export const userFields = { uid: string, groups: strings, extra: types.map(string, strings) };

const requirement = objectType('kubernetes.SelectorRequirement', { key: string, operator: string, values: strings });
const selector = (name: string): CelType =>
  objectType(name, { rawSelector: string, requirements: types.list(requirement) });

const reviewType = objectType('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: objectType('kubernetes.ResourceAttributes', {
    namespace: string,
    verb: string,
    group: string,
    version: string,
    resource: string,
    subresource: string,
    name: string,
    fieldSelector: selector('kubernetes.FieldSelectorAttributes'),
    labelSelector: selector('kubernetes.LabelSelectorAttributes'),
  }),
  nonResourceAttributes: objectType('kubernetes.NonResourceAttributes', { path: string, verb: string }),
  user: string,
  ...userFields,
});

/** The environment of match conditions of authorization webhooks. After k8s.io/apiserver/pkg/authorization/cel. */
export const accessReviewEnvironment: ExpressionEnvironment = { variables: new Map([['request', reviewType]]) };

/** The environment of rules and mappings for the claims of a token. After k8s.io/apiserver/pkg/authentication/cel. */
export const claimsEnvironment: ExpressionEnvironment = { variables: new Map([['claims', types.map(string, dyn)]]) };

/** The environment of rules for a user. After k8s.io/apiserver/pkg/authentication/cel. */
export const userEnvironment: ExpressionEnvironment = {
  variables: new Map([['user', objectType('kubernetes.UserInfo', { username: string, ...userFields })]]),
};

/** The result types that expressions of JWT authenticators may have. The type of a mapping is only known when there are claims. */
export const authenticationResults = {
  rule: (type: CelType): string | undefined =>
    type.kind === 'bool' ? undefined : `must evaluate to ${declaredName(types.bool)}`,
  mapping: (): undefined => undefined,
} as const;

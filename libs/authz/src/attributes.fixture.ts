import { resourceAttributes, type AuthorizationAttributes } from './authorizer.ts';

/** What a test asks an authorizer: whether bob may get a pod, or something else. */
export const attributesOf = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes =>
  resourceAttributes({
    user: { name: 'bob', uid: '', groups: ['system:authenticated'], extra: {} },
    verb: 'get',
    apiVersion: 'v1',
    resource: 'pods',
    namespace: 'ns',
    ...more,
  });

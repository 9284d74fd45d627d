import type { AuthorizationAttributes } from './authorizer.ts';

/** What a test asks an authorizer: whether bob may get a pod, or something else. */
export const attributesOf = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
  user: { name: 'bob', uid: '', groups: ['system:authenticated'], extra: {} },
  verb: 'get',
  isResourceRequest: true,
  path: '',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: '',
  fieldSelector: '',
  labelSelector: '',
  ...more,
});

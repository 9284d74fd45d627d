import { isRecord } from '@apichain/meta';
import { type Scenario, type Step } from '../scenario.ts';
import { configMap, configMaps, get, patch, post, put, remove } from './steps.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const authorization = '/apis/authorization.k8s.io/v1';
const me = { kind: 'User', name: 'conformance-{{run}}-user', apiGroup: 'rbac.authorization.k8s.io' };
const roleRef = (kind: string, name: string) => ({ kind, name, apiGroup: 'rbac.authorization.k8s.io' });
const role = (name: string, ...rules: object[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name },
  rules,
});
const bindRole = (name: string, ref: object = roleRef('Role', name)) => ({
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name } },
  ...{ subjects: [me], roleRef: ref },
});
const roles = `${rbac}/namespaces/{{ns}}/roles`;
const bindings = `${rbac}/namespaces/{{ns}}/rolebindings`;
const asUser = { as: 'user' } as const;
const review = (name: string, kind: string, spec: object, more: Partial<Step> = {}): Step => ({
  ...post(name, `${authorization}/${kind.toLowerCase()}s`, { apiVersion: 'authorization.k8s.io/v1', kind, spec }),
  ...more,
});
const rulesOnly = (body: unknown): unknown => (isRecord(body) ? body['rules'] : body);

/**
 * Sorts the rules, because their order depends on when the server observed each binding. Removes the rule by which some downstream builds
 * let all users read `/.well-known`.
 */
const sortedRules = (body: unknown): unknown => {
  const status = isRecord(body) && isRecord(body['status']) ? body['status'] : {};
  const sorted = (rules: unknown) =>
    (Array.isArray(rules) ? rules : [])
      .map((rule) => JSON.stringify(rule))
      .filter((rule) => !rule.includes('/.well-known'))
      .sort();
  const { nonResourceRules, resourceRules, ...rest } = status;
  return { ...rest, nonResourceRules: sorted(nonResourceRules), resourceRules: sorted(resourceRules) };
};

/** Roles that every cluster has. Their rules are compared. */
const clusterRoles = [
  'admin',
  'edit',
  'view',
  'cluster-admin',
  'system:aggregate-to-admin',
  'system:aggregate-to-edit',
  'system:aggregate-to-view',
  'system:auth-delegator',
  'system:basic-user',
  'system:discovery',
  'system:kube-aggregator',
  'system:kube-controller-manager',
  'system:kube-dns',
  'system:kube-scheduler',
  'system:kubelet-api-admin',
  'system:monitoring',
  'system:node',
  'system:node-bootstrapper',
  'system:node-problem-detector',
  'system:node-proxier',
  'system:persistent-volume-provisioner',
  'system:public-info-viewer',
  'system:service-account-issuer-discovery',
  'system:volume-scheduler',
  'system:controller:deployment-controller',
  'system:controller:generic-garbage-collector',
  'system:controller:job-controller',
  'system:controller:namespace-controller',
  'system:controller:node-controller',
  'system:controller:statefulset-controller',
];

export const rbacScenarios: readonly Scenario[] = [
  {
    area: 'rbac',
    name: 'rights that come and go',
    steps: [
      get('no right to list', configMaps, asUser),
      get('no right to get', `${configMaps}/a`, asUser),
      post('no right to create', configMaps, configMap('a'), asUser),
      put('no right to update', `${configMaps}/a`, configMap('a'), asUser),
      patch('no right to patch', `${configMaps}/a`, {}, asUser),
      remove('no right to delete', `${configMaps}/a`, asUser),
      remove('no right to delete many', configMaps, asUser),
      get('no right to watch', configMaps, { ...asUser, query: { watch: 'true' } }),
      get('no right to see nodes', '/api/v1/nodes', asUser),
      get('no right to see a status', '/apis/apps/v1/namespaces/{{ns}}/deployments/d/status', asUser),
      get('no right to a path', '/metrics', asUser),
      post(
        'a role',
        roles,
        role(
          'reader',
          { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create'] },
          { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get', 'update'] },
        ),
      ),
      post('its binding', bindings, bindRole('reader')),
      { ...get('a right to list', configMaps, asUser), until: { status: 200 } },
      post('a right to create', configMaps, configMap('a'), asUser),
      get('a right to get', `${configMaps}/a`, asUser),
      patch('still no right to patch', `${configMaps}/a`, {}, asUser),
      patch('still no right to apply', `${configMaps}/a`, configMap('a'), {
        ...asUser,
        query: { fieldManager: 'm' },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      }),
      get('a right by name', '/api/v1/namespaces/{{ns}}/secrets/one', asUser),
      get('no right by another name', '/api/v1/namespaces/{{ns}}/secrets/two', asUser),
      get('no right elsewhere', '/api/v1/namespaces/default/configmaps', asUser),
      remove('without the binding', `${bindings}/reader`),
      { ...get('no right any more', configMaps, asUser), until: { status: 403 } },
    ],
  },
  {
    area: 'rbac',
    name: 'escalation',
    steps: [
      post(
        'a right to write roles',
        roles,
        role(
          'roles',
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['*'] },
          { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
        ),
      ),
      post('its binding', bindings, bindRole('roles')),
      { ...get('wait', roles, asUser), until: { status: 200 }, select: () => 'seen' },
      post(
        'a role within the rights',
        roles,
        role('within', { apiGroups: [''], resources: ['pods'], verbs: ['get'] }),
        asUser,
      ),
      post(
        'a role beyond the rights',
        roles,
        role('beyond', { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get', 'list'] }),
        asUser,
      ),
      patch(
        'a role made larger',
        `${roles}/within`,
        { rules: [{ apiGroups: [''], resources: ['*'], verbs: ['*'] }] },
        asUser,
      ),
      post('a binding within the rights', bindings, bindRole('within'), asUser),
      post('a binding beyond the rights', bindings, bindRole('admin', roleRef('ClusterRole', 'cluster-admin')), asUser),
      post('a binding to no role', bindings, bindRole('none', roleRef('Role', 'none')), asUser),
      patch('another role for a binding', `${bindings}/roles`, { roleRef: roleRef('Role', 'within') }),
    ],
  },
  {
    area: 'rbac',
    name: 'reviews of access',
    steps: [
      post('a role', roles, role('reader', { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] })),
      post('its binding', bindings, bindRole('reader')),
      { ...get('wait', '/api/v1/namespaces/{{ns}}/pods', asUser), until: { status: 200 } },
      review(
        'of oneself, allowed',
        'SelfSubjectAccessReview',
        { resourceAttributes: { namespace: '{{ns}}', verb: 'get', resource: 'pods' } },
        asUser,
      ),
      review(
        'of oneself, not allowed',
        'SelfSubjectAccessReview',
        { resourceAttributes: { namespace: '{{ns}}', verb: 'delete', resource: 'pods' } },
        asUser,
      ),
      review(
        'of oneself, a path',
        'SelfSubjectAccessReview',
        { nonResourceAttributes: { path: '/openapi/v2', verb: 'get' } },
        asUser,
      ),
      review('of oneself, nothing', 'SelfSubjectAccessReview', {}, asUser),
      review(
        'of oneself, both',
        'SelfSubjectAccessReview',
        {
          resourceAttributes: { verb: 'get', resource: 'pods' },
          nonResourceAttributes: { path: '/version', verb: 'get' },
        },
        asUser,
      ),
      review('of another', 'SubjectAccessReview', {
        user: 'conformance-{{run}}-user',
        resourceAttributes: { namespace: '{{ns}}', verb: 'list', resource: 'pods' },
      }),
      review('of another, not allowed', 'SubjectAccessReview', {
        user: 'conformance-{{run}}-user',
        groups: ['none'],
        resourceAttributes: { namespace: '{{ns}}', verb: 'list', resource: 'secrets' },
      }),
      review('of an administrator', 'SubjectAccessReview', {
        groups: ['system:masters'],
        user: 'x',
        resourceAttributes: { verb: '*', resource: '*', group: '*' },
      }),
      review('of nobody', 'SubjectAccessReview', { resourceAttributes: { verb: 'list', resource: 'pods' } }),
      review(
        'of another by a user',
        'SubjectAccessReview',
        { user: 'x', resourceAttributes: { verb: 'list', resource: 'pods' } },
        asUser,
      ),
      post('in a namespace', `${authorization}/namespaces/{{ns}}/localsubjectaccessreviews`, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'LocalSubjectAccessReview',
        spec: {
          user: 'conformance-{{run}}-user',
          resourceAttributes: { namespace: '{{ns}}', verb: 'get', resource: 'pods' },
        },
      }),
      post('in another namespace', `${authorization}/namespaces/{{ns}}/localsubjectaccessreviews`, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'LocalSubjectAccessReview',
        spec: { user: 'x', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
      }),
      review(
        'the rules of oneself',
        'SelfSubjectRulesReview',
        { namespace: '{{ns}}' },
        { ...asUser, select: sortedRules },
      ),
      review('the rules of oneself, nowhere', 'SelfSubjectRulesReview', {}, asUser),
      post(
        'who am I',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        asUser,
      ),
    ],
  },
  {
    area: 'rbac',
    name: 'aggregated roles',
    namespaced: false,
    steps: [
      post('a part', `${rbac}/clusterroles`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'conformance-{{run}}-part', labels: { 'conformance-{{run}}': 'yes' } },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      }),
      post('the whole', `${rbac}/clusterroles`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'conformance-{{run}}-whole' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'conformance-{{run}}': 'yes' } }] },
        rules: null,
      }),
    ],
  },
  {
    area: 'rbac',
    name: 'roles of every cluster',
    namespaced: false,
    steps: [
      ...clusterRoles.map((name) => get(name, `${rbac}/clusterroles/${name}`, { select: rulesOnly })),
      ...[
        'cluster-admin',
        'system:basic-user',
        'system:discovery',
        'system:kube-scheduler',
        'system:public-info-viewer',
      ].map((name) =>
        get(`binding of ${name}`, `${rbac}/clusterrolebindings/${name}`, {
          select: (body) => (isRecord(body) ? { subjects: body['subjects'], roleRef: body['roleRef'] } : body),
        }),
      ),
    ],
  },
  {
    area: 'rbac',
    name: 'impersonation',
    steps: [
      post(
        'as a user with groups',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { headers: { 'impersonate-user': 'u', 'impersonate-group': 'g' } },
      ),
      post(
        'as a user with extras',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { headers: { 'impersonate-user': 'u', 'impersonate-uid': 'id', 'impersonate-extra-scopes': 'a%20b' } },
      ),
      post(
        'as a service account',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { headers: { 'impersonate-user': 'system:serviceaccount:{{ns}}:robot' } },
      ),
      post(
        'as the anonymous',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { headers: { 'impersonate-user': 'system:anonymous' } },
      ),
      get('as groups without a user', configMaps, { headers: { 'impersonate-group': 'g' } }),
      get('anonymous', configMaps, { as: 'anonymous' }),
      get('anonymous, the version', '/version', { as: 'anonymous' }),
      get('with a bad token', configMaps, { as: 'anonymous', headers: { authorization: 'Bearer nonsense' } }),
    ],
  },
];

import { times, withJson, type StallCase } from './stall-case.ts';
import type { FuzzRequest } from '../request.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const review = (kind: string, plural: string, spec: unknown): FuzzRequest =>
  withJson('POST', `${authorization}/${plural}`, { apiVersion: 'authorization.k8s.io/v1', kind, spec });
const access = (spec: unknown): FuzzRequest => review('SubjectAccessReview', 'subjectaccessreviews', spec);
const own = (spec: unknown): FuzzRequest => review('SelfSubjectAccessReview', 'selfsubjectaccessreviews', spec);
const token = (text: string, audiences: readonly string[] = []): FuzzRequest =>
  withJson('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: text, audiences },
  });
const pods = { namespace: 'default', verb: 'get', resource: 'pods' };
const requirement = (i: number) => ({ key: `k${i}`, operator: 'In', values: [`v${i}`] });
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const cases: readonly (readonly [name: string, request: (size: number) => FuzzRequest])[] = [
  ['groups', (n) => access({ user: 'u', groups: times(n, (i) => `g${i}`), resourceAttributes: pods })],
  ['one group again', (n) => access({ user: 'u', groups: times(n, () => 'g'), resourceAttributes: pods })],
  [
    'extra keys',
    (n) =>
      access({ user: 'u', extra: Object.fromEntries(times(n, (i) => [`k${i}`, ['v']])), resourceAttributes: pods }),
  ],
  ['extra values', (n) => access({ user: 'u', extra: { k: times(n, (i) => `v${i}`) }, resourceAttributes: pods })],
  ['a long user', (n) => access({ user: 'a:'.repeat(n), resourceAttributes: pods })],
  [
    'a long service account',
    (n) => access({ user: `system:serviceaccount:${'a:'.repeat(n)}`, resourceAttributes: pods }),
  ],
  [
    'a long node',
    (n) => access({ user: `system:node:${'a'.repeat(n)}`, groups: ['system:nodes'], resourceAttributes: pods }),
  ],
  ['a long resource', (n) => own({ resourceAttributes: { ...pods, resource: 'a'.repeat(n) } })],
  ['a long verb', (n) => own({ resourceAttributes: { ...pods, verb: 'a'.repeat(n) } })],
  ['a long path', (n) => own({ nonResourceAttributes: { path: '/a'.repeat(n), verb: 'get' } })],
  ['a path of stars', (n) => own({ nonResourceAttributes: { path: '*'.repeat(n), verb: 'get' } })],
  [
    'field requirements',
    (n) => own({ resourceAttributes: { ...pods, fieldSelector: { requirements: times(n, requirement) } } }),
  ],
  [
    'label requirements',
    (n) => own({ resourceAttributes: { ...pods, labelSelector: { requirements: times(n, requirement) } } }),
  ],
  [
    'values of a requirement',
    (n) =>
      own({
        resourceAttributes: {
          ...pods,
          labelSelector: { requirements: [{ key: 'k', operator: 'In', values: times(n, (i) => `v${i}`) }] },
        },
      }),
  ],
  [
    'a raw label selector',
    (n) =>
      own({ resourceAttributes: { ...pods, labelSelector: { rawSelector: times(n, (i) => `k${i}=v`).join(',') } } }),
  ],
  [
    'a raw field selector',
    (n) =>
      own({ resourceAttributes: { ...pods, fieldSelector: { rawSelector: times(n, (i) => `k${i}=v`).join(',') } } }),
  ],
  [
    'rules of a long namespace',
    (n) => review('SelfSubjectRulesReview', 'selfsubjectrulesreviews', { namespace: 'a-'.repeat(n) }),
  ],
  ['a long token', (n) => token('a'.repeat(n))],
  ['a token of dots', (n) => token('a.'.repeat(n))],
  [
    'a token with large claims',
    (n) => token(`${encoded({ alg: 'RS256' })}.${encoded({ iss: 'x', aud: times(n, (i) => `a${i}`) })}.AAAA`),
  ],
  [
    'a token with a large header',
    (n) => token(`${encoded({ alg: 'RS256', ...Object.fromEntries(times(n, (i) => [`k${i}`, 1])) })}.e30.AAAA`),
  ],
  ['a token with a large signature', (n) => token(`${encoded({ alg: 'RS256' })}.e30.${'AAAA'.repeat(n)}`)],
  ['a token of spaces', (n) => token(' '.repeat(n))],
  [
    'audiences',
    (n) =>
      token(
        'a',
        times(n, (i) => `a${i}`),
      ),
  ],
];

/** Reviews of rights and tokens. Some of them are allowed for all users. */
export const reviewCases: readonly StallCase[] = cases.map(([name, request]) => ({ name: `review: ${name}`, request }));

const tokenRequest = (namespace: string, spec: unknown): FuzzRequest =>
  withJson('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  });
const rule = (i: number) => ({ apiGroups: [''], resources: [`r${i}`], verbs: ['get'] });
const role = (namespace: string, rules: unknown): FuzzRequest =>
  withJson('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles?dryRun=All`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r' },
    rules,
  });

/** Requests of the administrator of one namespace. The server compares the rights they grant with the rights of the administrator. */
export function rightsCases(namespace: string, tenant: Readonly<Record<string, string>>): readonly StallCase[] {
  const tenants: readonly (readonly [name: string, request: (size: number) => FuzzRequest])[] = [
    ['rules', (n) => role(namespace, times(n, rule))],
    [
      'rules that cover each other',
      (n) =>
        role(
          namespace,
          times(n, () => ({ apiGroups: ['', '*'], resources: ['*', 'pods'], verbs: ['get', '*'] })),
        ),
    ],
    [
      'resources of a rule',
      (n) => role(namespace, [{ apiGroups: [''], resources: times(n, (i) => `r${i}`), verbs: ['get'] }]),
    ],
    [
      'names of a rule',
      (n) =>
        role(namespace, [
          { apiGroups: [''], resources: ['pods'], resourceNames: times(n, (i) => `n${i}`), verbs: ['get'] },
        ]),
    ],
    [
      'all of a rule',
      (n) => {
        const some = (prefix: string) => times(Math.ceil(n / 4), (i) => `${prefix}${i}`);
        return role(namespace, [
          { apiGroups: some('g'), resources: some('r'), resourceNames: some('n'), verbs: some('v') },
        ]);
      },
    ],
    [
      'wildcards',
      (n) =>
        role(
          namespace,
          times(n, () => ({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })),
        ),
    ],
    [
      'subjects',
      (n) =>
        withJson('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings?dryRun=All`, {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: 'r' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tenant' },
          subjects: times(n, (i) => ({ kind: 'User', name: `u${i}`, apiGroup: 'rbac.authorization.k8s.io' })),
        }),
    ],
    ['audiences of a token', (n) => tokenRequest(namespace, { audiences: times(n, (i) => `a${i}`) })],
    ['a long audience', (n) => tokenRequest(namespace, { audiences: ['a'.repeat(n)] })],
    [
      'a long bound object',
      (n) => tokenRequest(namespace, { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'a'.repeat(n) } }),
    ],
  ];
  return tenants.map(([name, request]) => ({
    name: `rights: ${name}`,
    request: (size) => {
      const made = request(size);
      return { ...made, headers: { ...made.headers, ...tenant } };
    },
  }));
}

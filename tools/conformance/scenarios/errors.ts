import type { Scenario } from '../scenario.ts';
import { configMap, configMaps, get, patch, post, put, remove } from './steps.ts';

const bodies: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['no JSON', '{'],
  ['a text', '"text"'],
  ['a number', '5'],
  ['null', 'null'],
  ['a list', '[]'],
  ['nothing known', '{}'],
  ['two objects', '{"apiVersion":"v1","kind":"ConfigMap"}{"a":1}'],
  ['metadata of another type', '{"apiVersion":"v1","kind":"ConfigMap","metadata":"text"}'],
  ['a name of another type', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":5}}'],
  ['data of another type', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":[]}'],
  ['a kind of another type', '{"apiVersion":"v1","kind":5,"metadata":{"name":"a"}}'],
  ['a version of another type', '{"apiVersion":{},"kind":"ConfigMap","metadata":{"name":"a"}}'],
  ['a bad time', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","creationTimestamp":"soon"}}'],
  ['bad base64', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"binaryData":{"a":"%%"}}'],
];

export const errorScenarios: readonly Scenario[] = [
  {
    area: 'errors',
    name: 'paths that lead nowhere',
    steps: [
      ...[
        '/nowhere',
        '/api/v9',
        '/api/v1/poems',
        '/api/v1/namespaces/{{ns}}/poems',
        '/apis/apps/v1/namespaces/{{ns}}/configmaps',
        '/api/v1/namespaces/{{ns}}/configmaps/a/poem',
        '/api/v1/namespaces/{{ns}}/configmaps/a/status',
        '/api/v1/nodes/none',
        '/api/v1/namespaces/none-{{run}}',
        '/apis/apps/v1/deployments/d',
        '/apis/none.example.com/v1/widgets',
        '/api/v1/namespaces/{{ns}}/nodes',
        '/api/v1//configmaps',
        '/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale',
      ].map((path) => get(`GET ${path}`, path)),
      post('POST on an object', `${configMaps}/a`, configMap('a')),
      put('PUT on a collection', configMaps, configMap('a')),
      patch('PATCH on a collection', configMaps, {}),
      remove('DELETE on a group', '/apis/apps'),
      post('POST on discovery', '/apis', {}),
      post('POST on nowhere', '/nowhere', {}),
      post('POST over all namespaces', '/api/v1/configmaps', configMap('a', {}, { namespace: '{{ns}}' })),
      get('GET of what can only be created', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
      remove('DELETE of all namespaces', '/api/v1/namespaces'),
    ],
  },
  {
    area: 'errors',
    name: 'bodies that are none',
    steps: [
      ...bodies.map(([name, body]) => post(`create of ${name}`, configMaps, body)),
      post('create in place', configMaps, configMap('x')),
      ...bodies.map(([name, body]) => put(`update to ${name}`, `${configMaps}/x`, body)),
      ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'].map((type) =>
        post(`create as ${type}`, configMaps, JSON.stringify(configMap('y')), { headers: { 'content-type': type } }),
      ),
      remove('options that are no JSON', `${configMaps}/x`, { body: '{' }),
      remove('options of another type', `${configMaps}/x`, {
        body: '{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":"soon"}',
      }),
      get('still there', `${configMaps}/x`),
    ],
  },
  {
    area: 'errors',
    name: 'objects that are invalid in many ways',
    steps: [
      post('a pod', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'Bad_Name', labels: { 'bad label': 'bad value!' } },
        spec: {
          containers: [
            {
              name: 'Bad Name',
              image: ' i',
              ports: [{ containerPort: 99999 }],
              resources: { limits: { cpu: '-1' }, requests: { cpu: '5' } },
              env: [{ name: '=' }],
              volumeMounts: [{ name: 'none', mountPath: '' }],
            },
            { name: 'Bad Name' },
          ],
          volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }, { name: 'v' }],
          dnsPolicy: 'Never',
          restartPolicy: 'Never',
          activeDeadlineSeconds: 0,
        },
      }),
      post('a deployment', '/apis/apps/v1/namespaces/{{ns}}/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { replicas: -1, strategy: { type: 'Sometimes' }, template: { spec: { containers: [] } } },
      }),
      post('a quantity', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 'much' } } }] },
      }),
      post('a cron job', '/apis/batch/v1/namespaces/{{ns}}/cronjobs', {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'x'.repeat(60) },
        spec: {
          schedule: '99 * * * *',
          timeZone: 'Mars',
          jobTemplate: { spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } },
        },
      }),
      post('a network policy', '/apis/networking.k8s.io/v1/namespaces/{{ns}}/networkpolicies', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'n' },
        spec: {
          podSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
          egress: [{ ports: [{ port: 0, endPort: 5 }] }],
        },
      }),
      post('a role binding', '/apis/rbac.authorization.k8s.io/v1/namespaces/{{ns}}/rolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'r' },
        subjects: [{ kind: 'ServiceAccount', name: 'Bad Name' }],
        roleRef: { kind: 'Role', name: '', apiGroup: '' },
      }),
    ],
  },
  {
    area: 'errors',
    name: 'queries that are wrong',
    steps: [
      ...[
        'timeoutSeconds=soon',
        'limit=many',
        'resourceVersion=-1',
        'watch=perhaps&timeoutSeconds=1',
        'labelSelector=%3D%3D',
        'fieldSelector=a%3D%3D%3Db',
        'sendInitialEvents=yes',
        'allowWatchBookmarks=2',
        'unknown=1',
      ].map((query) => get(query, `${configMaps}?${query}`)),
      post('dryRun twice', `${configMaps}?dryRun=All&dryRun=All`, configMap('a')),
      post('fieldValidation twice', `${configMaps}?fieldValidation=Strict&fieldValidation=Warn`, configMap('b')),
      get('an escaped slash', `${configMaps}/a%2Fb`),
      get('dots', `${configMaps}/..`),
    ],
  },
];

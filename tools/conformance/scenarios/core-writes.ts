import type { Scenario } from '../scenario.ts';
import { configMap, get, patch, post, posts, remove } from './steps.ts';

const pods = '/api/v1/namespaces/{{ns}}/pods';
const pod = (name: string, fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i' }], ...fields },
});

/** Writes of core kinds that do more than store an object. */
export const coreWriteScenarios: readonly Scenario[] = [
  {
    area: 'writes',
    name: 'pods',
    steps: [
      post('create', pods, pod('a')),
      post('bind', `${pods}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'n' },
      }),
      post('bind again', `${pods}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'm' },
      }),
      post('bind nowhere', `${pods}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node' },
      }),
      get('bound', `${pods}/a`),
      patch('its image', `${pods}/a`, { spec: { containers: [{ name: 'c', image: 'j' }] } }),
      patch('its containers', `${pods}/a`, { spec: { containers: [{ name: 'other', image: 'j' }] } }),
      patch('its resources', `${pods}/a`, { spec: { nodeName: 'other' } }),
      patch(
        'a debug container',
        `${pods}/a/ephemeralcontainers`,
        { spec: { ephemeralContainers: [{ name: 'debug', image: 'd' }] } },
        { headers: { 'content-type': 'application/strategic-merge-patch+json' } },
      ),
      patch(
        'resize',
        `${pods}/a/resize`,
        { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } },
        { headers: { 'content-type': 'application/strategic-merge-patch+json' } },
      ),
      patch('it runs', `${pods}/a/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      }),
      remove('delete with grace', `${pods}/a`),
      get('terminating', `${pods}/a`),
      get('terminating, as a table', `${pods}/a`, {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      }),
      remove('delete with less grace', `${pods}/a`, { query: { gracePeriodSeconds: '5' } }),
      remove('delete at once', `${pods}/a`, { query: { gracePeriodSeconds: '0' } }),
      get('gone', `${pods}/a`),
      post('create b', pods, pod('b')),
      post('evict, dry run', `${pods}/b/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'b' },
        deleteOptions: { dryRun: ['All'] },
      }),
      post('a budget', '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets', {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'all' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      }),
      patch('it may not be disrupted', '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets/all/status', {
        status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      }),
      patch('b runs', `${pods}/b/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      }),
      post('evict against the budget', `${pods}/b/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'b' },
      }),
      post('evict another', `${pods}/b/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'z' },
      }),
      patch('it may be disrupted', '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets/all/status', {
        status: { disruptionsAllowed: 1 },
      }),
      post('evict', `${pods}/b/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'b' } }),
      get('the budget is used up', '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets/all'),
    ],
  },
  {
    area: 'writes',
    name: 'services',
    steps: [
      ...posts('/api/v1/namespaces/{{ns}}/services', [
        [
          'headless',
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'headless' },
            spec: { clusterIP: 'None', selector: { app: 'x' } },
          },
        ],
        [
          'of an external name',
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'external' },
            spec: { type: 'ExternalName', externalName: 'x.example.com' },
          },
        ],
        [
          'with a node port',
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'np' },
            spec: { type: 'NodePort', ports: [{ port: 80 }] },
          },
        ],
        [
          'with a node port out of range',
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'np2' },
            spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
          },
        ],
        [
          'with an address out of range',
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'ip' },
            spec: { clusterIP: '192.0.2.1', ports: [{ port: 80 }] },
          },
        ],
        ['without ports', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'none' }, spec: {} }],
        [
          'with a bad name',
          { apiVersion: 'v1', kind: 'Service', metadata: { name: '1st' }, spec: { ports: [{ port: 80 }] } },
        ],
        [
          'of an unknown type',
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'x' },
            spec: { type: 'Magic', ports: [{ port: 80 }] },
          },
        ],
      ]),
      patch('from node port to cluster IP', '/api/v1/namespaces/{{ns}}/services/np', { spec: { type: 'ClusterIP' } }),
      patch('from cluster IP to external name', '/api/v1/namespaces/{{ns}}/services/np', {
        spec: { type: 'ExternalName', externalName: 'y.example.com' },
      }),
      patch('another cluster IP', '/api/v1/namespaces/{{ns}}/services/headless', { spec: { clusterIP: '10.0.1.2' } }),
      get('all', '/api/v1/namespaces/{{ns}}/services'),
      get('all as a table', '/api/v1/namespaces/{{ns}}/services', {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      }),
    ],
  },
  {
    area: 'writes',
    name: 'namespaces',
    namespaced: false,
    steps: [
      post('create', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'conformance-{{run}}-own' },
      }),
      post(
        'create within',
        '/api/v1/namespaces/conformance-{{run}}-own/configmaps',
        configMap('a', {}, { finalizers: ['example.com/keep'] }),
      ),
      remove('delete', '/api/v1/namespaces/conformance-{{run}}-own'),
      post('create within while it ends', '/api/v1/namespaces/conformance-{{run}}-own/configmaps', configMap('b')),
      remove('delete the kube-system', '/api/v1/namespaces/kube-system', { query: { dryRun: 'All' } }),
      remove('delete the default', '/api/v1/namespaces/default', { query: { dryRun: 'All' } }),
      post('with a bad name', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } }),
      remove('many', '/api/v1/namespaces'),
    ],
  },
  {
    area: 'writes',
    name: 'tokens of service accounts',
    steps: [
      post('create', '/api/v1/namespaces/{{ns}}/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'robot' },
      }),
      post('too short', '/api/v1/namespaces/{{ns}}/serviceaccounts/robot/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 1 },
      }),
      post('bound to nothing', '/api/v1/namespaces/{{ns}}/serviceaccounts/robot/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
      }),
      post('of no one', '/api/v1/namespaces/{{ns}}/serviceaccounts/none/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {},
      }),
      {
        ...post('a token', '/api/v1/namespaces/{{ns}}/serviceaccounts/robot/token', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { audiences: ['conformance'], expirationSeconds: 900 },
        }),
        save: { token: 'status.token' },
      },
      post('its review', '/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: '{{token}}', audiences: ['conformance', 'other'] },
      }),
      post('its review for others', '/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: '{{token}}', audiences: ['other'] },
      }),
      post('the review of no token', '/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'nonsense' },
      }),
    ],
  },
];

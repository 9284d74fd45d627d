import { isRecord } from '@apichain/meta';
import { type Scenario, type Step, type Variables } from '../scenario.ts';
import { configMap, configMaps, get, patch, post, put, remove } from './steps.ts';

const options = (fields: object) => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...fields });
const pods = '/api/v1/namespaces/{{ns}}/pods';
const pod = (name: string, fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i' }], ...fields },
});
const yaml = { headers: { 'content-type': 'application/yaml' } };
const changed = (saved: string, data: object) => (variables: Variables) => {
  const object = variables[saved];
  return isRecord(object) ? { ...object, data } : object;
};
const names = (path: string, bodies: readonly (readonly [string, unknown])[], more: Partial<Step> = {}): Step[] =>
  bodies.map(([name, body]) => ({ ...post(name, path, body), ...more }));

export const writeScenarios: readonly Scenario[] = [
  {
    area: 'writes',
    name: 'create',
    steps: [
      ...names(configMaps, [
        ['minimal', configMap('a')],
        ['again', configMap('a')],
        ['without a name', { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }],
        ['with a generated name', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } }],
        [
          'with both names',
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-', name: 'given' } },
        ],
        ['with a bad name', configMap('Not_A_Name')],
        ['with a long name', configMap('x'.repeat(254))],
        ['with a resourceVersion', configMap('b', {}, { resourceVersion: '1' })],
        ['with a uid', configMap('c', {}, { uid: 'mine' })],
        [
          'with fields of the server',
          configMap(
            'd',
            {},
            {
              creationTimestamp: '2001-01-01T00:00:00Z',
              generation: 7,
              selfLink: '/x',
              deletionTimestamp: '2001-01-01T00:00:00Z',
            },
          ),
        ],
        ['in another namespace', configMap('e', {}, { namespace: 'default' })],
        ['of another kind', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'f' } }],
        ['of another version', { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'f' } }],
        ['without a kind', { metadata: { name: 'kindless' }, data: { a: 'b' } }],
        ['with bad labels', configMap('g', {}, { labels: { 'a b': 'e f' } })],
        ['with bad annotations', configMap('h', {}, { annotations: { 'a b': 'c' } })],
        ['with bad finalizers', configMap('i', {}, { finalizers: ['short', 'a b'] })],
        [
          'with an owner',
          configMap(
            'j',
            {},
            { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u-1', controller: true }] },
          ),
        ],
        [
          'with two controllers',
          configMap(
            'k',
            {},
            {
              ownerReferences: [
                { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u-1', controller: true },
                { apiVersion: 'v1', kind: 'Pod', name: 'q', uid: 'u-2', controller: true },
              ],
            },
          ),
        ],
        ['with an incomplete owner', configMap('l', {}, { ownerReferences: [{ kind: 'Pod' }] })],
        [
          'with managed fields',
          configMap(
            'm',
            {},
            {
              managedFields: [
                {
                  manager: 'm',
                  operation: 'Update',
                  apiVersion: 'v1',
                  fieldsType: 'FieldsV1',
                  fieldsV1: { 'f:data': {} },
                },
              ],
            },
          ),
        ],
      ]),
      post(
        'as YAML',
        configMaps,
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata:\n  a: |\n    two\n    lines\n',
        yaml,
      ),
      post('as YAML that is not', configMaps, 'a: [', yaml),
      post('with a manager', configMaps, configMap('n'), { query: { fieldManager: 'someone' } }),
      post('with a bad manager', configMaps, configMap('o'), { query: { fieldManager: 'a\u0007b' } }),
      post('with a long manager', configMaps, configMap('o'), { query: { fieldManager: 'm'.repeat(129) } }),
      post('with an unknown dry run', configMaps, configMap('o'), { query: { dryRun: 'Some' } }),
      post('with an unknown validation', configMaps, configMap('o'), { query: { fieldValidation: 'Some' } }),
      post('on an object', `${configMaps}/p`, configMap('p')),
      post('in no namespace', '/api/v1/namespaces/none-{{run}}/configmaps', configMap('p')),
      get('what is there', configMaps),
    ],
  },
  {
    area: 'writes',
    name: 'field validation',
    steps: ['Ignore', 'Warn', 'Strict'].flatMap((fieldValidation) =>
      [
        ['an unknown field', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"colour":"red"}'],
        [
          'a repeated field',
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"data":{"a":"b","a":"c"}}',
        ],
        [
          'an unknown field of metadata',
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME","nick":"n"}}',
        ],
        ['another letter case', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"Data":{"a":"b"}}'],
        ['another type', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"data":{"a":1}}'],
      ].map(([name = '', body = ''], index) =>
        post(
          `${name}, ${fieldValidation}`,
          configMaps,
          body.replace('NAME', `${fieldValidation.toLowerCase()}-${index}`),
          { query: { fieldValidation } },
        ),
      ),
    ),
  },
  {
    area: 'writes',
    name: 'update',
    steps: [
      { ...post('create', configMaps, configMap('a', { k: '1' })), save: { first: '', uid: 'metadata.uid' } },
      put('with the version', `${configMaps}/a`, changed('first', { k: '2' })),
      put('with the old version', `${configMaps}/a`, changed('first', { k: '3' })),
      put('without a version', `${configMaps}/a`, configMap('a', { k: '4' })),
      put('without a change', `${configMaps}/a`, configMap('a', { k: '4' })),
      put('with the uid', `${configMaps}/a`, configMap('a', { k: '5' }, { uid: '{{uid}}' })),
      put(
        'with another uid',
        `${configMaps}/a`,
        configMap('a', { k: '6' }, { uid: '00000000-0000-0000-0000-000000000000' }),
      ),
      put('with another name', `${configMaps}/a`, configMap('b')),
      put('without a name', `${configMaps}/a`, { apiVersion: 'v1', kind: 'ConfigMap' }),
      put('with another namespace', `${configMaps}/a`, configMap('a', {}, { namespace: 'default' })),
      put('of what is not there', `${configMaps}/none`, configMap('none')),
      put('of a lease that is not there, which creates it', '/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases/l', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l' },
      }),
      put('with an old version of what is not there', '/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases/m', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'm', resourceVersion: '5' },
      }),
      put('dry run', `${configMaps}/a`, configMap('a', { dry: 'run' }), { query: { dryRun: 'All' } }),
      put('immutable from now on', `${configMaps}/a`, { ...configMap('a', { k: '7' }), immutable: true }),
      put('of what is immutable', `${configMaps}/a`, configMap('a', { k: '8' })),
      get('in the end', `${configMaps}/a`),
    ],
  },
  {
    area: 'writes',
    name: 'delete',
    steps: [
      ...['a', 'b', 'c', 'd', 'e'].map((name) => ({
        ...post(`create ${name}`, configMaps, configMap(name, {}, { labels: { group: name < 'd' ? 'one' : 'two' } })),
        ...(name === 'a' ? { save: { uid: 'metadata.uid', version: 'metadata.resourceVersion' } } : {}),
      })),
      remove('with another uid', `${configMaps}/a`, { body: options({ preconditions: { uid: 'other' } }) }),
      remove('with another version', `${configMaps}/a`, { body: options({ preconditions: { resourceVersion: '1' } }) }),
      remove('with what is true', `${configMaps}/a`, {
        body: options({ preconditions: { uid: '{{uid}}', resourceVersion: '{{version}}' } }),
      }),
      remove('again', `${configMaps}/a`),
      remove('of a kind of options that is none', `${configMaps}/b`, { body: { apiVersion: 'v1', kind: 'Poem' } }),
      remove('with both orphaning and propagation', `${configMaps}/b`, {
        body: options({ orphanDependents: true, propagationPolicy: 'Orphan' }),
      }),
      remove('with a grace period below zero', `${configMaps}/b`, { query: { gracePeriodSeconds: '-1' } }),
      remove('with an unknown propagation in the query', `${configMaps}/b`, { query: { propagationPolicy: 'None' } }),
      remove('dry run in the query', `${configMaps}/b`, { query: { dryRun: 'All' } }),
      remove('in the foreground', `${configMaps}/b`, { query: { propagationPolicy: 'Foreground' } }),
      get('waiting for its dependents', `${configMaps}/b`),
      patch('a new finalizer for what is being deleted', `${configMaps}/b`, {
        metadata: { finalizers: ['foregroundDeletion', 'example.com/new'] },
      }),
      patch('without finalizers it goes', `${configMaps}/b`, { metadata: { finalizers: [] } }),
      get('gone', `${configMaps}/b`),
      remove('with orphans', `${configMaps}/c`, { body: options({ propagationPolicy: 'Orphan' }) }),
      remove('many, dry run', configMaps, { query: { labelSelector: 'group=two', dryRun: 'All' } }),
      remove('many', configMaps, { query: { labelSelector: 'group=two' } }),
      remove('many, with a bad selector', configMaps, { query: { labelSelector: 'a b' } }),
      remove('many of a field', configMaps, { query: { fieldSelector: 'metadata.name=c' } }),
      get('what is left', configMaps),
    ],
  },
  {
    area: 'writes',
    name: 'finalizers',
    steps: [
      post('create', configMaps, configMap('a', {}, { finalizers: ['example.com/one', 'example.com/two'] })),
      remove('delete', `${configMaps}/a`),
      remove('delete again', `${configMaps}/a`),
      get('still there', `${configMaps}/a`),
      patch('change it', `${configMaps}/a`, { data: { k: 'v' } }),
      patch('one finalizer less', `${configMaps}/a`, { metadata: { finalizers: ['example.com/two'] } }),
      post('create in its place', configMaps, configMap('a')),
      patch('the last finalizer', `${configMaps}/a`, { metadata: { finalizers: null } }),
      get('gone', `${configMaps}/a`),
    ],
  },
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
      ...names('/api/v1/namespaces/{{ns}}/services', [
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

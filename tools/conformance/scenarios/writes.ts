import { isRecord } from '@apichain/meta';
import type { Scenario, Variables } from '../scenario.ts';
import { configMap, configMaps, get, patch, post, posts, put, remove } from './steps.ts';

const options = (fields: object) => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...fields });
const yaml = { headers: { 'content-type': 'application/yaml' } };
const changed = (saved: string, data: object) => (variables: Variables) => {
  const object = variables[saved];
  return isRecord(object) ? { ...object, data } : object;
};

/** Writes that work the same for all kinds, tested with ConfigMaps. */
export const writeScenarios: readonly Scenario[] = [
  {
    area: 'writes',
    name: 'create',
    steps: [
      ...posts(configMaps, [
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
];

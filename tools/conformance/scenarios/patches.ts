import type { Scenario } from '../scenario.ts';
import { configMap, configMaps, get, jsonPatch, mergePatch, patch, post, strategicPatch } from './steps.ts';

const deployments = '/apis/apps/v1/namespaces/{{ns}}/deployments';
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', labels: { a: '1', b: '2' } },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: {
      metadata: { labels: { app: 'd' } },
      spec: {
        containers: [
          {
            name: 'one',
            image: 'i1',
            ports: [{ containerPort: 80 }],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
          { name: 'two', image: 'i2' },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
        tolerations: [{ key: 'k', operator: 'Exists' }],
      },
    },
  },
};
const path = `${deployments}/d`;
const containers = (...list: object[]) => ({ spec: { template: { spec: { containers: list } } } });

const operations: readonly (readonly [string, unknown])[] = [
  ['add to an object', [{ op: 'add', path: '/data/b', value: '2' }]],
  ['add over what is there', [{ op: 'add', path: '/data/b', value: '3' }]],
  ['replace', [{ op: 'replace', path: '/data/b', value: '4' }]],
  ['replace what is not there', [{ op: 'replace', path: '/data/none', value: '4' }]],
  ['remove', [{ op: 'remove', path: '/data/b' }]],
  ['remove what is not there', [{ op: 'remove', path: '/data/none' }]],
  ['copy', [{ op: 'copy', from: '/data/a', path: '/data/c' }]],
  ['move', [{ op: 'move', from: '/data/c', path: '/data/d' }]],
  ['move what is not there', [{ op: 'move', from: '/data/none', path: '/data/d' }]],
  ['test', [{ op: 'test', path: '/data/a', value: '1' }]],
  ['test in vain', [{ op: 'test', path: '/data/a', value: '2' }]],
  ['test for nothing', [{ op: 'test', path: '/data/none', value: null }]],
  ['an unknown operation', [{ op: 'sing', path: '/data/a' }]],
  ['no path', [{ op: 'add', value: '1' }]],
  ['a bad path', [{ op: 'add', path: 'data', value: '1' }]],
  [
    'an escaped path',
    [
      { op: 'add', path: '/metadata/annotations', value: { 'x/y': '1' } },
      { op: 'replace', path: '/metadata/annotations/x~1y', value: '2' },
    ],
  ],
  [
    'append to a list',
    [
      { op: 'add', path: '/metadata/finalizers', value: ['example.com/a'] },
      { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/b' },
      { op: 'add', path: '/metadata/finalizers/0', value: 'example.com/c' },
    ],
  ],
  ['beyond a list', [{ op: 'add', path: '/metadata/finalizers/9', value: 'example.com/d' }]],
  ['from a list', [{ op: 'remove', path: '/metadata/finalizers/1' }]],
  ['a value of another type', [{ op: 'add', path: '/data/a', value: 1 }]],
  ['all of it', [{ op: 'replace', path: '', value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } }]],
  ['an object instead of a list', { op: 'add', path: '/data/b', value: '2' }],
  ['nothing', []],
  ['the kind', [{ op: 'replace', path: '/kind', value: 'Secret' }]],
];

const merges: readonly (readonly [string, unknown])[] = [
  ['add', { data: { b: '2' } }],
  ['change and remove', { data: { a: '9', b: null } }],
  ['remove all', { data: null }],
  ['a list as a whole', { metadata: { finalizers: ['example.com/x', 'example.com/y'] } }],
  ['a list emptied', { metadata: { finalizers: [] } }],
  ['another type', { data: 'text' }],
  ['a number as a text', { data: { n: 5 } }],
  ['an unknown field', { colour: 'red' }],
  ['nothing', {}],
  ['null', null],
  ['a list', []],
  ['the version', { metadata: { resourceVersion: '1' } }],
  ['the uid', { metadata: { uid: 'other' } }],
  ['the kind', { kind: 'Secret' }],
  ['the managed fields', { metadata: { managedFields: [{}] } }],
];

export const patchScenarios: readonly Scenario[] = [
  {
    area: 'patches',
    name: 'JSON patches',
    steps: [
      post('create', configMaps, configMap('a', { a: '1' })),
      ...operations.map(([name, body]) => patch(name, `${configMaps}/a`, body, jsonPatch)),
      patch('no JSON', `${configMaps}/a`, '[{', jsonPatch),
      patch('of what is not there', `${configMaps}/none`, [], jsonPatch),
      patch('dry run', `${configMaps}/a`, [{ op: 'add', path: '/data', value: { dry: 'run' } }], {
        ...jsonPatch,
        query: { dryRun: 'All' },
      }),
      get('in the end', `${configMaps}/a`),
    ],
  },
  {
    area: 'patches',
    name: 'merge patches',
    steps: [
      post('create', configMaps, configMap('a', { a: '1' })),
      ...merges.map(([name, body]) => patch(name, `${configMaps}/a`, body, mergePatch)),
      patch(
        'an unknown field, strict',
        `${configMaps}/a`,
        { colour: 'red' },
        { ...mergePatch, query: { fieldValidation: 'Strict' } },
      ),
      patch('a repeated field, strict', `${configMaps}/a`, '{"data":{"a":"1"},"data":{"b":"2"}}', {
        ...mergePatch,
        query: { fieldValidation: 'Strict' },
      }),
      patch('no JSON', `${configMaps}/a`, '{', mergePatch),
      patch(
        'with a manager',
        `${configMaps}/a`,
        { data: { m: '1' } },
        { ...mergePatch, query: { fieldManager: 'patcher' } },
      ),
      patch('by force', `${configMaps}/a`, { data: { m: '2' } }, { ...mergePatch, query: { force: 'true' } }),
      patch('of what is not there', `${configMaps}/none`, {}, mergePatch),
      get('in the end', `${configMaps}/a`),
    ],
  },
  {
    area: 'patches',
    name: 'strategic merge patches',
    steps: [
      post('create', deployments, deployment),
      patch('merge by name', path, containers({ name: 'one', image: 'i3' }), strategicPatch),
      patch('add an item', path, containers({ name: 'three', image: 'i4' }), strategicPatch),
      patch(
        'merge deeper lists',
        path,
        containers({
          name: 'one',
          env: [
            { name: 'B', value: '3' },
            { name: 'C', value: '4' },
          ],
          ports: [{ containerPort: 81 }],
        }),
        strategicPatch,
      ),
      patch('delete an item', path, containers({ name: 'three', $patch: 'delete' }), strategicPatch),
      patch('replace a list', path, containers({ name: 'one', image: 'i5' }, { $patch: 'replace' }), strategicPatch),
      patch(
        'set the order',
        path,
        {
          spec: {
            template: {
              spec: {
                '$setElementOrder/containers': [{ name: 'two' }, { name: 'one' }],
                containers: [{ name: 'two', image: 'i2' }],
              },
            },
          },
        },
        strategicPatch,
      ),
      patch('an item without its key', path, containers({ image: 'i6' }), strategicPatch),
      patch(
        'an atomic list',
        path,
        { spec: { template: { spec: { tolerations: [{ key: 'other', operator: 'Exists' }] } } } },
        strategicPatch,
      ),
      patch(
        'delete from primitives',
        path,
        { metadata: { finalizers: ['example.com/a', 'example.com/b'] } },
        strategicPatch,
      ),
      patch('really', path, { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } }, strategicPatch),
      patch(
        'retain keys',
        path,
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: null } } },
        strategicPatch,
      ),
      patch('replace an object', path, { metadata: { labels: { $patch: 'replace', only: 'this' } } }, strategicPatch),
      patch('delete an object', path, { metadata: { labels: { $patch: 'delete' } } }, strategicPatch),
      patch('an unknown directive', path, { metadata: { labels: { $patch: 'sing' } } }, strategicPatch),
      patch(
        'a field that cannot change',
        path,
        { spec: { selector: { matchLabels: { app: 'other' } } } },
        strategicPatch,
      ),
      patch('another type', path, { spec: 'text' }, strategicPatch),
      patch('a list', path, [], strategicPatch),
      get('in the end', path),
    ],
  },
  {
    area: 'patches',
    name: 'kinds of patches',
    steps: [
      post('create', configMaps, configMap('a')),
      ...['application/json', 'text/plain', 'application/merge-patch+yaml', 'application/poem-patch+json'].map((type) =>
        patch(`as ${type}`, `${configMaps}/a`, {}, { headers: { 'content-type': type } }),
      ),
      patch(
        'with a charset',
        `${configMaps}/a`,
        { data: { a: 'b' } },
        { headers: { 'content-type': 'application/merge-patch+json; charset=utf-8' } },
      ),
      patch('of a collection', configMaps, {}),
    ],
  },
];

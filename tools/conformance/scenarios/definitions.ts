import { isRecord } from '@apichain/meta';
import type { Scenario } from '../scenario.ts';
import {
  crds,
  define,
  definition,
  group,
  open,
  path,
  specOf,
  version,
  widget,
  withoutProgress,
} from './custom-steps.ts';
import { asTable, get, patch, post, remove } from './steps.ts';

const crdPath = (name: string) => `${crds}/widgets.${group(name)}`;
const namesOf = (body: unknown): unknown =>
  isRecord(body) && Array.isArray(body['conditions']) ? body['conditions'] : body;

const invalidDefinitions: readonly (readonly [string, object])[] = [
  ['without versions', definition('bad', [])],
  ['without a storage version', definition('bad', [version('v1', open, { storage: false })])],
  ['with two storage versions', definition('bad', [version('v1', open), version('v2', open)])],
  ['with another name', { ...definition('bad', [version('v1', open)]), metadata: { name: 'others.example.com' } }],
  ['with an unknown scope', definition('bad', [version('v1', open)], { scope: 'Galaxy' })],
  ['without a schema', definition('bad', [{ name: 'v1', served: true, storage: true }])],
  ['with a schema of no object', definition('bad', [version('v1', { type: 'array' })])],
  ['with a property without a type', definition('bad', [version('v1', { properties: { spec: {} } })])],
  ['with an unknown type', definition('bad', [version('v1', { properties: { spec: { type: 'poem' } } })])],
  ['with a bad default', definition('bad', [version('v1', specOf({ n: { type: 'integer', default: 'many' } }))])],
  ['with a bad rule', definition('bad', [version('v1', { ...open, 'x-kubernetes-validations': [{ rule: 'self.' }] })])],
  [
    'with a bad list',
    definition('bad', [
      version('v1', specOf({ l: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' } })),
    ]),
  ],
  [
    'with a bad column',
    definition('bad', [
      version('v1', open, { additionalPrinterColumns: [{ name: 'A', type: 'poem', jsonPath: 'x' }] }),
    ]),
  ],
  [
    'with a bad scale',
    definition('bad', [
      version('v1', open, { subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.status.n' } } }),
    ]),
  ],
  [
    'with a protected group',
    {
      ...definition('bad', [version('v1', open)]),
      metadata: { name: 'widgets.bad.k8s.io' },
      spec: { ...definition('bad', [version('v1', open)]).spec, group: 'bad.k8s.io' },
    },
  ],
  [
    'with a conversion without a webhook',
    definition('bad', [version('v1', open)], { conversion: { strategy: 'Webhook' } }),
  ],
  [
    'with bad names',
    definition('bad', [version('v1', open)], { names: { plural: 'Widgets', kind: '1', shortNames: ['A B'] } }),
  ],
  ['with a bad version', definition('bad', [version('One', open)])],
  [
    'with a bad selectable field',
    definition('bad', [version('v1', open, { selectableFields: [{ jsonPath: '.spec.none' }] })]),
  ],
];

/** CustomResourceDefinitions. */
export const crdScenarios: readonly Scenario[] = [
  {
    area: 'crds',
    name: 'definitions that are refused',
    namespaced: false,
    steps: invalidDefinitions.map(([name, body]) => post(name, crds, body, { select: withoutProgress })),
  },
  {
    area: 'crds',
    name: 'the life of a definition',
    steps: [
      ...define('life', [version('v1', open)], {
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wg'], categories: ['all'] },
      }),
      get('established', crdPath('life'), {
        until: { path: 'status.conditions.1.status', equals: 'True' },
        select: (body) => (isRecord(body) ? namesOf(body['status']) : body),
      }),
      get('its group', `/apis/${group('life')}`, { until: { status: 200 } }),
      get('its resources', `/apis/${group('life')}/v1`),
      get('as a table', crdPath('life'), {
        ...asTable,
        select: (body) => (isRecord(body) ? body['columnDefinitions'] : body),
      }),
      post('define once more', crds, definition('life', [version('v1', open)])),
      patch('another scope', crdPath('life'), { spec: { scope: 'Cluster' } }),
      patch('another kind', crdPath('life'), { spec: { names: { shortNames: ['wd'] } } }, { select: withoutProgress }),
      get('its resources with the other short name', `/apis/${group('life')}/v1`, {
        until: { path: 'resources.0.shortNames.0', equals: 'wd' },
      }),
      post('an object', path('life'), widget('life', 'a')),
      patch(
        'a second version',
        crdPath('life'),
        { spec: { versions: [version('v1', open), version('v2', open, { storage: false })] } },
        { select: withoutProgress },
      ),
      get('the object in it', `${path('life', 'v2')}/a`, { until: { status: 200 } }),
      patch(
        'the first not served any more',
        crdPath('life'),
        { spec: { versions: [version('v1', open, { served: false }), version('v2', open, { storage: false })] } },
        { select: withoutProgress },
      ),
      get('the object in the first', `${path('life', 'v1')}/a`, { until: { status: 404 } }),
      patch('without the stored version', crdPath('life'), { spec: { versions: [version('v2', open)] } }),
      remove('delete', crdPath('life'), { select: withoutProgress }),
      get('gone', crdPath('life'), { until: { status: 404 } }),
      get('the group is gone', `/apis/${group('life')}`, { until: { status: 404 } }),
      get('the objects are gone', path('life', 'v2'), { until: { status: 404 } }),
    ],
  },
  {
    area: 'crds',
    name: 'names that are taken',
    namespaced: false,
    steps: [
      post('define', crds, definition('taken', [version('v1', open)]), { select: withoutProgress }),
      get('established', crdPath('taken'), {
        until: { path: 'status.conditions.1.status', equals: 'True' },
        select: withoutProgress,
      }),
      post(
        'define the same kind',
        crds,
        {
          ...definition('taken', [version('v1', open)], { names: { plural: 'gadgets', kind: 'Widget' } }),
          metadata: { name: `gadgets.${group('taken')}` },
        },
        { select: withoutProgress },
      ),
      get('not accepted', `${crds}/gadgets.${group('taken')}`, {
        until: { path: 'status.conditions.0.reason', equals: 'ListKindConflict' },
        select: (body) => (isRecord(body) ? namesOf(body['status']) : body),
      }),
    ],
  },
  {
    area: 'crds',
    name: 'OpenAPI of a definition',
    steps: [
      ...define('described', [
        version('v1', specOf({ size: { type: 'integer', description: 'how large', default: 3 } })),
      ]),
      get('version 3', `/openapi/v3/apis/${group('described')}/v1`, {
        until: { status: 200 },
        select: (body) =>
          isRecord(body) && isRecord(body['components']) && isRecord(body['components']['schemas'])
            ? Object.entries(body['components']['schemas']).filter(([name]) => name.endsWith('Widget'))
            : body,
      }),
    ],
  },
];

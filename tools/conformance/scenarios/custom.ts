import { isRecord } from '@apichain/meta';
import { type Scenario, type Step } from '../scenario.ts';
import { apply, asTable, get, jsonPatch, patch, post, put, received, remove, strategicPatch } from './steps.ts';

/** Definitions and objects of custom kinds. Every scenario has a group of its own. */
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = (name: string) => `${name}.{{run}}.example.com`;
const version = (name: string, schema: object, more: object = {}) => ({
  ...{ name, served: true, storage: true },
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
  ...more,
});
const definition = (name: string, versions: readonly object[], more: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group(name)}` },
  spec: { group: group(name), scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions, ...more },
});
const crdPath = (name: string) => `${crds}/widgets.${group(name)}`;

/** The conditions come from the server's own controllers, one after the other: who else wrote and when is not compared. */
const withoutProgress = (body: unknown): unknown => {
  if (!isRecord(body) || !isRecord(body['metadata'])) return body;
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = body['metadata'];
  const { conditions: _conditions, ...status } = isRecord(body['status']) ? body['status'] : {};
  return { ...body, metadata, ...(body['kind'] === 'CustomResourceDefinition' ? { status } : {}) };
};

const namesOf = (body: unknown): unknown =>
  isRecord(body) && Array.isArray(body['conditions']) ? body['conditions'] : body;

/** Creates a definition and waits until its objects are served. */
const define = (name: string, versions: readonly object[], more: object = {}, served = 'v1'): Step[] => [
  post('define', crds, definition(name, versions, more), { select: withoutProgress }),
  get('wait for its objects', `/apis/${group(name)}/${served}/namespaces/{{ns}}/widgets`, { until: { status: 200 } }),
];
const path = (name: string, served = 'v1') => `/apis/${group(name)}/${served}/namespaces/{{ns}}/widgets`;
const widget = (name: string, object: string, fields: object = {}, served = 'v1', metadata: object = {}) => ({
  ...{ apiVersion: `${group(name)}/${served}`, kind: 'Widget', metadata: { name: object, ...metadata } },
  ...fields,
});
const specOf = (properties: object, more: object = {}) => ({
  properties: { spec: { type: 'object', properties, ...more } },
});
const open = { 'x-kubernetes-preserve-unknown-fields': true };

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

const listTypes = specOf({
  map: {
    type: 'array',
    items: {
      type: 'object',
      required: ['key'],
      properties: { key: { type: 'string' }, value: { type: 'integer', default: 7 } },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['key'],
  },
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  atomic: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
  whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
});

const validated = specOf(
  {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    ratio: { type: 'number', exclusiveMinimum: true, minimum: 0 },
    name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
    mode: { type: 'string', enum: ['on', 'off'] },
    when: { type: 'string', format: 'date-time' },
    many: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    either: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    once: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is set once' }] },
  },
  {
    required: ['size'],
    'x-kubernetes-validations': [
      {
        rule: "!has(self.mode) || self.mode == 'off' || self.size > 1",
        messageExpression: "'too small: ' + string(self.size)",
        reason: 'FieldValueForbidden',
        fieldPath: '.size',
      },
    ],
  },
);
const invalidObjects: readonly (readonly [string, object])[] = [
  ['nothing required', {}],
  ['too small', { size: 0 }],
  ['too large', { size: 11 }],
  ['no integer', { size: 1.5 }],
  ['text for a number', { size: '5' }],
  ['a bad ratio', { size: 1, ratio: 0 }],
  ['a bad pattern', { size: 1, name: 'TOOLONGNAME' }],
  ['none of the choices', { size: 1, mode: 'maybe' }],
  ['a bad time', { size: 1, when: 'tomorrow' }],
  ['too few', { size: 1, many: [] }],
  ['too many', { size: 1, many: ['a', 'b', 'c'] }],
  ['neither', { size: 1, either: true }],
  ['null that may not be', { size: 1, name: null }],
  ['against the rule', { size: 1, mode: 'on' }],
];

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

export const customResourceScenarios: readonly Scenario[] = [
  {
    area: 'custom-resources',
    name: 'objects of a custom kind',
    steps: [
      ...define('life2', [version('v1', specOf({ size: { type: 'integer' } }))]),
      post('create', path('life2'), widget('life2', 'a', { spec: { size: 1, unheardOf: true } })),
      post('create once more', path('life2'), widget('life2', 'a')),
      post('unknown fields, strict', path('life2'), widget('life2', 'b', { spec: { unheardOf: true }, extra: 1 }), {
        query: { fieldValidation: 'Strict' },
      }),
      post('unknown fields, warned of', path('life2'), widget('life2', 'b', { spec: { unheardOf: true } }), {
        query: { fieldValidation: 'Warn' },
      }),
      post('with a generated name', path('life2'), {
        apiVersion: `${group('life2')}/v1`,
        kind: 'Widget',
        metadata: { generateName: 'w-' },
      }),
      post('of another kind', path('life2'), { ...widget('life2', 'c'), kind: 'Gadget' }),
      post('with bad metadata', path('life2'), widget('life2', 'c', {}, 'v1', { labels: { 'a b': 'c' } })),
      { ...get('get', `${path('life2')}/a`), save: { a: '', version: 'metadata.resourceVersion' } },
      get('as a table', `${path('life2')}/a`, asTable),
      get('as YAML', `${path('life2')}/a`, { headers: { accept: 'application/yaml' } }),
      get('as metadata', `${path('life2')}/a`, {
        headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
      }),
      get('list', path('life2'), { query: { fieldSelector: 'metadata.name=a' } }),
      get('an unknown field selector', path('life2'), { query: { fieldSelector: 'spec.size=1' } }),
      put(
        'update',
        `${path('life2')}/a`,
        widget('life2', 'a', { spec: { size: 2 } }, 'v1', { resourceVersion: '{{version}}' }),
      ),
      put(
        'update in conflict',
        `${path('life2')}/a`,
        widget('life2', 'a', { spec: { size: 3 } }, 'v1', { resourceVersion: '{{version}}' }),
      ),
      put('update without a version', `${path('life2')}/a`, widget('life2', 'a', { spec: { size: 3 } })),
      patch('merge patch', `${path('life2')}/a`, { spec: { size: 4 } }),
      patch('JSON patch', `${path('life2')}/a`, [{ op: 'replace', path: '/spec/size', value: 5 }], jsonPatch),
      patch('strategic merge patch', `${path('life2')}/a`, { spec: { size: 6 } }, strategicPatch),
      get('status that is no subresource', `${path('life2')}/a/status`),
      get('scale that is no subresource', `${path('life2')}/a/scale`),
      {
        ...get('watch', path('life2'), { query: { watch: 'true', fieldSelector: 'metadata.name=w' } }),
        watch: {
          events: 3,
          during: [
            post('create w', path('life2'), widget('life2', 'w')),
            patch('patch w', `${path('life2')}/w`, { spec: { size: 1 } }),
            remove('delete w', `${path('life2')}/w`),
          ],
        },
      },
      remove('delete', `${path('life2')}/a`),
      remove('delete the rest', path('life2')),
      get('an unknown object', `${path('life2')}/a`),
    ],
  },
  {
    area: 'custom-resources',
    name: 'validation of custom objects',
    steps: [
      ...define('checked', [version('v1', validated)]),
      ...invalidObjects.map(([name, spec], index) =>
        post(name, path('checked'), widget('checked', `w${index}`, { spec })),
      ),
      post('no spec', path('checked'), widget('checked', 'bare')),
      post('spec of another type', path('checked'), widget('checked', 'text', { spec: 'text' })),
      post(
        'what is valid',
        path('checked'),
        widget('checked', 'a', {
          spec: {
            size: 5,
            ratio: 0.5,
            name: 'abc',
            mode: 'on',
            when: '2020-01-02T03:04:05Z',
            many: ['a'],
            either: '50%',
            maybe: null,
            once: 'x',
          },
        }),
      ),
      patch('what is set once', `${path('checked')}/a`, { spec: { once: 'y' } }),
      patch('what else changes', `${path('checked')}/a`, { spec: { size: 6 } }),
      patch('against a schema', `${path('checked')}/a`, { spec: { size: 60 } }),
      get('in the end', `${path('checked')}/a`),
    ],
  },
  {
    area: 'custom-resources',
    name: 'defaults and pruning',
    steps: [
      ...define('pruned', [
        version(
          'v1',
          specOf(
            {
              size: { type: 'integer', default: 3 },
              inner: { type: 'object', default: {}, properties: { on: { type: 'boolean', default: true } } },
              free: { type: 'object', ...open },
              embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, ...open },
              kept: { type: 'object', additionalProperties: { type: 'string' } },
            },
            { default: {} },
          ),
        ),
      ]),
      post('create', path('pruned'), widget('pruned', 'a')),
      post(
        'create with more',
        path('pruned'),
        widget('pruned', 'b', {
          spec: { size: 4, gone: 1, free: { stays: [1, { deep: null }] }, kept: { any: 'name' } },
          status: { gone: true },
        }),
      ),
      post(
        'an embedded object',
        path('pruned'),
        widget('pruned', 'c', {
          spec: { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', nonsense: 1 }, spec: { x: 1 } } },
        }),
      ),
      post(
        'an embedded object without a kind',
        path('pruned'),
        widget('pruned', 'd', { spec: { embedded: { x: 1 } } }),
      ),
      patch('null brings the default back', `${path('pruned')}/b`, { spec: { size: null, inner: { on: false } } }),
      get('in the end', `${path('pruned')}/b`),
    ],
  },
  {
    area: 'custom-resources',
    name: 'subresources of custom objects',
    steps: [
      ...define('sub', [
        version(
          'v1',
          {
            properties: {
              spec: { type: 'object', properties: { n: { type: 'integer' } } },
              status: { type: 'object', ...open },
            },
          },
          {
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.n',
                statusReplicasPath: '.status.n',
                labelSelectorPath: '.status.selector',
              },
            },
          },
        ),
      ]),
      post('create, its status is ignored', path('sub'), widget('sub', 'a', { spec: { n: 1 }, status: { n: 9 } })),
      patch('patch of status by the object', `${path('sub')}/a`, { status: { n: 9 } }),
      patch('patch of status', `${path('sub')}/a/status`, { status: { n: 2, selector: 'app=x' }, spec: { n: 7 } }),
      get('status', `${path('sub')}/a/status`),
      get('scale', `${path('sub')}/a/scale`),
      patch('patch of scale', `${path('sub')}/a/scale`, { spec: { replicas: 5 } }),
      patch('scale below zero', `${path('sub')}/a/scale`, { spec: { replicas: -5 } }),
      put('update of scale', `${path('sub')}/a/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a' },
        spec: { replicas: 6 },
      }),
      put('update of the object', `${path('sub')}/a`, widget('sub', 'a', { spec: { n: 7 }, status: {} })),
      apply('apply of status', `${path('sub')}/a/status`, 'one', widget('sub', 'a', { status: { phase: 'Done' } })),
      get('in the end', `${path('sub')}/a`),
    ],
  },
  {
    area: 'custom-resources',
    name: 'columns and selectable fields',
    steps: [
      ...define('shown', [
        version(
          'v1',
          specOf({
            size: { type: 'integer' },
            colour: { type: 'string' },
            parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
          }),
          {
            additionalPrinterColumns: [
              { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how large' },
              { name: 'Parts', type: 'string', jsonPath: '.spec.parts[*].name', priority: 1 },
              { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
            ],
            selectableFields: [{ jsonPath: '.spec.colour' }],
          },
        ),
      ]),
      post(
        'create red',
        path('shown'),
        widget('shown', 'red', { spec: { size: 1, colour: 'red', parts: [{ name: 'x' }, { name: 'y' }] } }),
      ),
      post('create blue', path('shown'), widget('shown', 'blue', { spec: { colour: 'blue' } })),
      get('as a table', path('shown'), asTable),
      get('by colour', path('shown'), { query: { fieldSelector: 'spec.colour=red' } }),
      get('not by colour', path('shown'), { query: { fieldSelector: 'spec.colour!=red' } }),
      remove('delete by colour', path('shown'), { query: { fieldSelector: 'spec.colour=red' } }),
      get('what is left', path('shown')),
    ],
  },
  {
    area: 'custom-resources',
    name: 'server-side apply of custom objects',
    steps: [
      ...define('merged', [version('v1', listTypes)]),
      apply(
        'create',
        `${path('merged')}/a`,
        'one',
        widget('merged', 'a', {
          spec: { map: [{ key: 'x', value: 1 }], set: ['a'], atomic: ['a'], whole: { a: '1' } },
        }),
      ),
      apply(
        'by another',
        `${path('merged')}/a`,
        'two',
        widget('merged', 'a', { spec: { map: [{ key: 'y' }], set: ['b'] } }),
      ),
      apply(
        'an atomic list in conflict',
        `${path('merged')}/a`,
        'two',
        widget('merged', 'a', { spec: { atomic: ['b'] } }),
      ),
      apply(
        'an atomic map in conflict',
        `${path('merged')}/a`,
        'two',
        widget('merged', 'a', { spec: { whole: { b: '2' } } }),
      ),
      apply(
        'an item in conflict',
        `${path('merged')}/a`,
        'two',
        widget('merged', 'a', { spec: { map: [{ key: 'x', value: 2 }] } }),
      ),
      apply(
        'an item in conflict, by force',
        `${path('merged')}/a`,
        'two',
        widget('merged', 'a', { spec: { map: [{ key: 'x', value: 2 }] } }),
        { force: 'true' },
      ),
      apply('a repeated item', `${path('merged')}/a`, 'two', widget('merged', 'a', { spec: { set: ['a', 'a'] } })),
      apply('an unknown field', `${path('merged')}/a`, 'two', widget('merged', 'a', { spec: { unheardOf: 1 } })),
      apply('less', `${path('merged')}/a`, 'one', widget('merged', 'a', { spec: { set: ['a'] } })),
      post(
        'repeated keys by a create',
        path('merged'),
        widget('merged', 'b', { spec: { map: [{ key: 'x' }, { key: 'x' }] } }),
      ),
      get('in the end', `${path('merged')}/a`),
    ],
  },
  {
    area: 'custom-resources',
    name: 'conversion by a webhook',
    steps: [
      ...define('converted', [version('v1', open), version('v2', open, { storage: false })], {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url: '{{webhook}}/convert', caBundle: '{{webhookCa}}' },
          },
        },
      }),
      post('create in v1', path('converted'), widget('converted', 'a', { spec: { size: 5, colour: 'red' } })),
      get('get in v2', `${path('converted', 'v2')}/a`, { until: { status: 200 } }),
      received('what the webhook received', 'convert'),
      post('create in v2', path('converted', 'v2'), widget('converted', 'b', { spec: { length: 7 } }, 'v2')),
      get('get in v1', `${path('converted')}/b`),
      patch('patch in v2', `${path('converted', 'v2')}/a`, { spec: { length: 8 } }),
      apply(
        'apply in v2',
        `${path('converted', 'v2')}/a`,
        'one',
        widget('converted', 'a', { spec: { length: 9 } }, 'v2'),
        { force: 'true' },
      ),
      get('list in v2', path('converted', 'v2')),
      { ...get('watch in v2', path('converted', 'v2'), { query: { watch: 'true' } }), watch: { events: 2 } },
    ],
  },
  {
    area: 'custom-resources',
    name: 'objects of the cluster',
    namespaced: false,
    steps: [
      post('define', crds, definition('wide', [version('v1', open)], { scope: 'Cluster' }), {
        select: withoutProgress,
      }),
      get('wait for its objects', `/apis/${group('wide')}/v1/widgets`, { until: { status: 200 } }),
      post(
        'create',
        `/apis/${group('wide')}/v1/widgets`,
        widget('wide', 'a', { any: ['thing', 1, 1.5, { deep: true }] }),
      ),
      get('get', `/apis/${group('wide')}/v1/widgets/a`),
      get('in a namespace', `/apis/${group('wide')}/v1/namespaces/default/widgets`),
      remove('delete', `/apis/${group('wide')}/v1/widgets/a`),
    ],
  },
];

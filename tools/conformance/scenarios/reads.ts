import { isRecord } from '@apichain/meta';
import { type Scenario, type Step } from '../scenario.ts';
import { asTable, configMap, configMaps, get, post, put } from './steps.ts';

const names = ['alpha', 'beta', 'delta', 'gamma'] as const;
const colours = ['red', 'blue', 'red', 'green'] as const;
const created: readonly Step[] = names.map((name, index) =>
  post(
    `create ${name}`,
    configMaps,
    configMap(name, { n: String(index) }, { labels: { colour: colours[index] ?? '', [name]: '' } }),
  ),
);
const list = (name: string, query: Record<string, string>, more: object = {}) =>
  get(name, configMaps, { query, ...more });
const namesOnly = (body: unknown): unknown =>
  isRecord(body) && Array.isArray(body['items'])
    ? body['items'].map((item: unknown) =>
        isRecord(item) && isRecord(item['metadata']) ? item['metadata']['name'] : item,
      )
    : body;

const selectors = [
  'colour',
  '!colour',
  'colour=red',
  'colour==red,alpha',
  'colour!=red',
  'colour in (red,green)',
  'colour notin (red, green)',
  'colour in ()',
  'colour>1',
  'colour=red,',
  'a b',
  '=red',
  'colour=re d',
  'UPPER/name=x',
  '-x',
];
const fieldSelectors = [
  'metadata.name=alpha',
  'metadata.name!=alpha',
  'metadata.namespace={{ns}}',
  'metadata.name=alpha,metadata.name=beta',
  'metadata.uid=x',
  'data.n=1',
  'nonsense',
];

const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

export const readScenarios: readonly Scenario[] = [
  {
    area: 'reads',
    name: 'selectors',
    steps: [
      ...created,
      ...selectors.map((labelSelector) =>
        list(`labelSelector ${labelSelector}`, { labelSelector }, { select: namesOnly }),
      ),
      ...fieldSelectors.map((fieldSelector) =>
        list(`fieldSelector ${fieldSelector}`, { fieldSelector }, { select: namesOnly }),
      ),
      list(
        'both selectors',
        { labelSelector: 'colour=red', fieldSelector: 'metadata.name!=alpha' },
        { select: namesOnly },
      ),
      get('over all namespaces', '/api/v1/configmaps', {
        query: { fieldSelector: 'metadata.namespace={{ns}}' },
        select: namesOnly,
      }),
    ],
  },
  {
    area: 'reads',
    name: 'fields of pods',
    steps: [
      post('create one', '/api/v1/namespaces/{{ns}}/pods', pod('one')),
      post(
        'create two',
        '/api/v1/namespaces/{{ns}}/pods',
        pod('two', { nodeName: 'n', restartPolicy: 'Never', serviceAccountName: 's', hostNetwork: true }),
      ),
      ...[
        'spec.nodeName=n',
        'spec.nodeName=',
        'spec.nodeName!=n',
        'status.phase=Pending',
        'spec.restartPolicy=Never',
        'spec.serviceAccountName=s',
        'spec.hostNetwork=true',
        'status.podIP=',
        'spec.schedulerName=default-scheduler',
        'spec.priority=0',
        'status.nominatedNodeName=',
      ].map((fieldSelector) =>
        get(fieldSelector, '/api/v1/namespaces/{{ns}}/pods', { query: { fieldSelector }, select: namesOnly }),
      ),
      post('create a secret', '/api/v1/namespaces/{{ns}}/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        type: 'example.com/x',
      }),
      get('secrets of a type', '/api/v1/namespaces/{{ns}}/secrets', {
        query: { fieldSelector: 'type=example.com/x' },
        select: namesOnly,
      }),
      get('secrets of another type', '/api/v1/namespaces/{{ns}}/secrets', {
        query: { fieldSelector: 'type!=example.com/x' },
        select: namesOnly,
      }),
      post('create an event', '/api/v1/namespaces/{{ns}}/events', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: '{{ns}}' },
        reason: 'R',
      }),
      ...['involvedObject.kind=Pod', 'involvedObject.name=q', 'reason=R', 'type=', 'source='].map((fieldSelector) =>
        get(`events with ${fieldSelector}`, '/api/v1/namespaces/{{ns}}/events', {
          query: { fieldSelector },
          select: namesOnly,
        }),
      ),
      get('namespaces by phase', '/api/v1/namespaces', {
        query: { fieldSelector: 'status.phase=Active,metadata.name={{ns}}' },
        select: namesOnly,
      }),
    ],
  },
  {
    area: 'reads',
    name: 'pages',
    steps: [
      ...created,
      { ...list('first page', { limit: '2' }), save: { next: 'metadata.continue' } },
      { ...list('second page', { limit: '1', continue: '{{next}}' }), save: { next: 'metadata.continue' } },
      list('last page', { limit: '5', continue: '{{next}}' }),
      {
        ...list('first page of a selection', { limit: '1', labelSelector: 'colour=red' }),
        save: { next: 'metadata.continue' },
      },
      list('rest of a selection', { limit: '1', labelSelector: 'colour=red', continue: '{{next}}' }),
      list('a page from the cache', { limit: '2', resourceVersion: '0' }, { select: namesOnly }),
      list('a bad continue', { limit: '2', continue: 'AAAA' }),
      list('continue with a resourceVersion', { continue: '{{next}}', resourceVersion: '5' }),
      list('a limit below zero', { limit: '-1' }),
      list('a limit that is no number', { limit: 'many' }),
      { ...get('pages as a table', configMaps, { query: { limit: '3' }, ...asTable }) },
    ],
  },
  {
    area: 'reads',
    name: 'resource versions',
    steps: [
      ...created,
      { ...get('get', `${configMaps}/alpha`), save: { version: 'metadata.resourceVersion' } },
      get('get from the cache', `${configMaps}/alpha`, { query: { resourceVersion: '0' }, until: { status: 200 } }),
      get('get at least so new', `${configMaps}/alpha`, { query: { resourceVersion: '{{version}}' } }),
      get('get of the far future', `${configMaps}/alpha`, { query: { resourceVersion: '999999999' } }),
      get('get at a bad version', `${configMaps}/alpha`, { query: { resourceVersion: 'x' } }),
      list(
        'list not older',
        { resourceVersion: '{{version}}', resourceVersionMatch: 'NotOlderThan' },
        { select: namesOnly },
      ),
      list('list exactly', { resourceVersion: '{{version}}', resourceVersionMatch: 'Exact' }, { select: namesOnly }),
      list('list exactly at 0', { resourceVersion: '0', resourceVersionMatch: 'Exact' }),
      list('list with a match only', { resourceVersionMatch: 'Exact' }),
      list('list with an unknown match', { resourceVersion: '1', resourceVersionMatch: 'Nearly' }),
      list('list at a bad version', { resourceVersion: 'x' }),
      list('list of the far future', { resourceVersion: '999999999' }),
    ],
  },
  {
    area: 'reads',
    name: 'representations',
    steps: [
      ...created,
      ...[
        ['JSON', 'application/json'],
        ['YAML', 'application/yaml'],
        ['anything', '*/*'],
        ['first that is known', 'text/html, application/yaml;q=0.5'],
        ['pretty JSON', 'application/json;pretty=1'],
        ['Table of v1beta1', 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'],
        ['Table with metadata as YAML', 'application/yaml;as=Table;v=v1;g=meta.k8s.io'],
        ['metadata of a list asked of one object', 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'],
        ['something unknown', 'application/json;as=Poem;v=v1;g=meta.k8s.io'],
        ['plain text', 'text/plain'],
        ['no media type', 'json'],
      ].map(([name, accept]) => get(`as ${name}`, `${configMaps}/alpha`, { headers: { accept: accept ?? '' } })),
      get('as protobuf, its media type alone', `${configMaps}/alpha`, {
        headers: { accept: 'application/vnd.kubernetes.protobuf' },
        select: () => 'bytes',
      }),
      get('as a protobuf table', `${configMaps}/alpha`, {
        headers: { accept: 'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, application/json' },
        select: () => 'bytes',
      }),
      get('a table with objects', configMaps, { ...asTable, query: { includeObject: 'Object' } }),
      get('a table without objects', configMaps, { ...asTable, query: { includeObject: 'None' } }),
      get('a table with an unknown choice', configMaps, { ...asTable, query: { includeObject: 'Some' } }),
      get('pretty', `${configMaps}/alpha`, { query: { pretty: 'true' } }),
      get('an empty list', '/api/v1/namespaces/{{ns}}/secrets'),
      get('an empty table', '/api/v1/namespaces/{{ns}}/secrets', asTable),
      get('a list in no namespace', '/api/v1/namespaces/none-{{run}}/configmaps'),
    ],
  },
  {
    area: 'reads',
    name: 'changes between reads',
    steps: [
      { ...post('create', configMaps, configMap('a', { k: '1' })), save: { old: 'metadata.resourceVersion' } },
      put('update', `${configMaps}/a`, configMap('a', { k: '2' })),
      get('the new state', `${configMaps}/a`),
      list('the old state, exactly', { resourceVersion: '{{old}}', resourceVersionMatch: 'Exact' }),
      list('the new state, not older', { resourceVersion: '{{old}}', resourceVersionMatch: 'NotOlderThan' }),
    ],
  },
];

import type { Scenario, Step } from '../scenario.ts';
import { asTable, configMap, configMaps, get, patch, post, put, remove } from './steps.ts';

const watch = (
  name: string,
  query: Record<string, string>,
  events: number,
  during: readonly Step[] = [],
  more: object = {},
): Step => ({
  ...get(name, configMaps, { query: { watch: 'true', ...query } }),
  watch: { events, during },
  ...more,
});
const red = { labels: { colour: 'red' } };

const bookmarked = { sendInitialEvents: 'true', allowWatchBookmarks: 'true', resourceVersionMatch: 'NotOlderThan' };

export const watchScenarios: readonly Scenario[] = [
  {
    area: 'watches',
    name: 'watch from now',
    steps: [
      post('create before', configMaps, configMap('before')),
      watch('from what is there', {}, 1),
      { ...get('list', configMaps), save: { version: 'metadata.resourceVersion' } },
      watch('from a list', { resourceVersion: '{{version}}' }, 4, [
        post('create', configMaps, configMap('a', { k: '1' })),
        patch('patch', `${configMaps}/a`, { data: { k: '2' } }),
        patch('patch without a change', `${configMaps}/a`, { data: { k: '2' } }),
        remove('delete', `${configMaps}/a`),
        post('create another', configMaps, configMap('b')),
      ]),
      watch('what has happened since', { resourceVersion: '{{version}}' }, 4),
      watch('a second time, as a table', { resourceVersion: '{{version}}' }, 2, [], asTable),
      watch('nothing happens', { resourceVersion: '{{version}}', labelSelector: 'none', timeoutSeconds: '1' }, 1),
    ],
  },
  {
    area: 'watches',
    name: 'selections that objects enter and leave',
    steps: [
      { ...get('list', configMaps), save: { version: 'metadata.resourceVersion' } },
      watch('by label', { resourceVersion: '{{version}}', labelSelector: 'colour=red' }, 5, [
        post('create outside', configMaps, configMap('a')),
        patch('enter', `${configMaps}/a`, { metadata: red }),
        patch('change inside', `${configMaps}/a`, { data: { k: '1' } }),
        patch('leave', `${configMaps}/a`, { metadata: { labels: { colour: 'blue' } } }),
        remove('delete outside', `${configMaps}/a`),
        post('create inside', configMaps, configMap('b', {}, red)),
        remove('delete inside', `${configMaps}/b`),
      ]),
      watch('by name', { resourceVersion: '{{version}}', fieldSelector: 'metadata.name=b' }, 2),
      watch(
        'by name, which one object has',
        { resourceVersion: '{{version}}', fieldSelector: 'metadata.name=none', timeoutSeconds: '1' },
        1,
      ),
    ],
  },
  {
    area: 'watches',
    name: 'initial events and bookmarks',
    steps: [
      post('create a', configMaps, configMap('a')),
      post('create b', configMaps, configMap('b', {}, red)),
      watch('a list as a stream', bookmarked, 3),
      watch('a list as a stream, selected', { ...bookmarked, labelSelector: 'colour=red' }, 2),
      watch(
        'a list as a stream, then changes',
        bookmarked,
        4,
        [patch('patch', `${configMaps}/a`, { data: { k: 'v' } })],
        {},
      ),
      watch('a list as a stream, as tables', bookmarked, 3, [], asTable),
      watch('initial events without a match', { sendInitialEvents: 'true' }, 1),
      watch('initial events with another match', { ...bookmarked, resourceVersionMatch: 'Exact' }, 1),
      watch('no initial events', { ...bookmarked, sendInitialEvents: 'false', timeoutSeconds: '1' }, 1),
      watch('a match without initial events', { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' }, 1),
      get('initial events of a list', configMaps, { query: bookmarked }),
    ],
  },
  {
    area: 'watches',
    name: 'watches that cannot be',
    steps: [
      watch('a bad version', { resourceVersion: 'x' }, 1),
      watch('a bad selector', { labelSelector: 'a b' }, 1),
      watch('an unknown field', { fieldSelector: 'data.k=v' }, 1),
      watch('a bad timeout', { timeoutSeconds: 'soon' }, 1),
      watch('an unknown media type', {}, 1, [], { headers: { accept: 'image/png' } }),
      {
        ...get('a watch of one object by its path', '/api/v1/watch/namespaces/{{ns}}/configmaps/a', {
          query: { timeoutSeconds: '1' },
        }),
        watch: { events: 1, during: [post('create', configMaps, configMap('a'))] },
      },
      {
        ...get('a watch by its path', '/api/v1/watch/namespaces/{{ns}}/configmaps', { query: { timeoutSeconds: '1' } }),
        watch: { events: 1 },
      },
    ],
  },
  {
    area: 'watches',
    name: 'watch of metadata',
    steps: [
      watch(
        'as metadata',
        {},
        3,
        [
          post('create', configMaps, configMap('a', { k: 'v' })),
          put('update', `${configMaps}/a`, configMap('a', { k: 'w' }, { labels: { l: 'v' } })),
          remove('delete', `${configMaps}/a`),
        ],
        {
          headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
        },
      ),
      {
        ...get('the namespace itself', '/api/v1/namespaces', {
          query: { watch: 'true', fieldSelector: 'metadata.name={{ns}}' },
        }),
        watch: {
          events: 2,
          during: [patch('label it', '/api/v1/namespaces/{{ns}}', { metadata: { labels: { seen: 'yes' } } })],
        },
      },
    ],
  },
];

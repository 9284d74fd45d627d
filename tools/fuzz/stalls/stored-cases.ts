import { isContainer } from '@apichain/meta';
import type { FuzzRequest } from '../request.ts';
import { plain, times, withBody, withJson, type StallCase } from './stall-case.ts';

/** An object must fit into one request to etcd, whose limit is 1.5 MiB. */
const maxStored = 1_300_000;

const strategic = 'application/strategic-merge-patch+json';
const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const jsonPatch = 'application/json-patch+json';

const members = (size: number, value: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(times(size, (i) => [`k${i}`, value(i)]));

/** The stored objects that are patched, by resource. */
const objects = {
  configmaps: (size: number) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: members(Math.min(size, maxStored / 20), () => 'v'),
  }),
  pods: (size: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          env: times(Math.min(size, maxStored / 60), (i) => ({ name: `E${i}`, value: 'v' })),
        },
      ],
    },
  }),
  services: (size: number) => ({
    apiVersion: 'v1',
    kind: 'Service',
    spec: {
      ports: times(Math.min(size, maxStored / 90), (i) => ({ name: `p${i}`, port: 1 + (i % 65_535), protocol: 'TCP' })),
    },
  }),
} as const;
type Stored = keyof typeof objects;

const env = (size: number, item: (index: number) => unknown): unknown => ({
  spec: { containers: [{ name: 'c', image: 'i', env: times(size, item) }] },
});

const patches: readonly (readonly [
  stored: Stored,
  contentType: string,
  name: string,
  patch: (size: number) => unknown,
])[] = [
  ['pods', strategic, 'other environment variables', (n) => env(n, (i) => ({ name: `F${i}`, value: 'x' }))],
  ['pods', strategic, 'the same environment variables', (n) => env(n, (i) => ({ name: `E${i}`, value: 'x' }))],
  ['pods', strategic, 'environment variables in reverse', (n) => env(n, (i) => ({ name: `E${n - i}`, value: 'x' }))],
  ['pods', strategic, 'one environment variable again', (n) => env(n, () => ({ name: 'E1', value: 'x' }))],
  ['pods', strategic, 'deleted environment variables', (n) => env(n, (i) => ({ name: `E${i}`, $patch: 'delete' }))],
  ['pods', strategic, 'environment variables without a name', (n) => env(n, () => ({ value: 'x' }))],
  [
    'pods',
    strategic,
    'an order of elements',
    (n) => ({
      spec: { containers: [{ name: 'c', '$setElementOrder/env': times(n, (i) => ({ name: `E${n - i}` })) }] },
    }),
  ],
  ['pods', strategic, 'kept keys', (n) => ({ spec: { $retainKeys: times(n, (i) => `k${i}`), strategy: {} } })],
  ['pods', strategic, 'finalizers', (n) => ({ metadata: { finalizers: times(n, (i) => `a.b/f${i}`) } })],
  [
    'pods',
    strategic,
    'deleted finalizers',
    (n) => ({ metadata: { '$deleteFromPrimitiveList/finalizers': times(n, (i) => `a.b/f${i}`) } }),
  ],
  [
    'pods',
    strategic,
    'owners',
    (n) => ({
      metadata: { ownerReferences: times(n, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `n${i}`, uid: `u${i}` })) },
    }),
  ],
  ['pods', merge, 'environment variables', (n) => env(n, (i) => ({ name: `F${i}`, value: 'x' }))],
  ['pods', apply, 'environment variables', (n) => env(n, (i) => ({ name: `F${i}`, value: 'x' }))],
  ['pods', apply, 'the same environment variables', (n) => env(n, (i) => ({ name: `E${i}`, value: 'x' }))],
  ['pods', apply, 'one environment variable again', (n) => env(n, () => ({ name: 'E1', value: 'x' }))],
  [
    'services',
    strategic,
    'ports',
    (n) => ({ spec: { ports: times(n, (i) => ({ name: `q${i}`, port: 1 + (i % 65_535) })) } }),
  ],
  [
    'services',
    apply,
    'ports',
    (n) => ({ spec: { ports: times(n, (i) => ({ name: `q${i}`, port: 1 + (i % 65_535) })) } }),
  ],
  ['configmaps', strategic, 'keys', (n) => ({ data: members(n, () => 'x') })],
  ['configmaps', merge, 'keys', (n) => ({ data: members(n, () => 'x') })],
  ['configmaps', merge, 'removed keys', (n) => ({ data: members(n, () => null) })],
  ['configmaps', apply, 'keys', (n) => ({ data: members(n, () => 'x') })],
  ['configmaps', apply, 'labels', (n) => ({ metadata: { labels: members(n, () => 'x') } })],
  [
    'configmaps',
    merge,
    'managers',
    (n) => ({
      metadata: {
        managedFields: times(n, (i) => ({
          manager: `m${i}`,
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
        })),
      },
    }),
  ],
  [
    'configmaps',
    merge,
    'a manager of many fields',
    (n) => ({
      metadata: {
        managedFields: [
          {
            manager: 'm',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': Object.fromEntries(times(n, (i) => [`f:k${i}`, {}])) },
          },
        ],
      },
    }),
  ],
  [
    'configmaps',
    jsonPatch,
    'added keys',
    (n) => times(Math.min(n, 10_000), (i) => ({ op: 'add', path: `/data/l${i}`, value: 'x' })),
  ],
  [
    'configmaps',
    jsonPatch,
    'removed keys',
    (n) => times(Math.min(n, 10_000), (i) => ({ op: 'remove', path: `/data/k${i}` })),
  ],
  [
    'configmaps',
    jsonPatch,
    'copies of everything',
    (n) => times(Math.min(n, 10_000), (i) => ({ op: 'copy', from: '/data', path: `/c${i}` })),
  ],
  [
    'configmaps',
    jsonPatch,
    'doubled members',
    (n) => times(Math.min(n, 60), (i) => ({ op: 'copy', from: '', path: `/c${i}` })),
  ],
  [
    'configmaps',
    jsonPatch,
    'tests of everything',
    (n) => times(Math.min(n, 10_000), () => ({ op: 'test', path: '/data', value: {} })),
  ],
  ['configmaps', jsonPatch, 'a long path', (n) => [{ op: 'add', path: '/a'.repeat(n), value: 1 }]],
  ['configmaps', jsonPatch, 'escapes in a path', (n) => [{ op: 'add', path: `/${'~1'.repeat(n)}`, value: 1 }]],
  ['configmaps', jsonPatch, 'operations without end', (n) => times(n, () => ({}))],
  [
    'pods',
    jsonPatch,
    'items put in front',
    (n) =>
      times(Math.min(n, 10_000), (i) => ({ op: 'add', path: '/spec/containers/0/env/0', value: { name: `G${i}` } })),
  ],
  [
    'pods',
    jsonPatch,
    'items taken from the front',
    (n) => times(Math.min(n, 10_000), () => ({ op: 'remove', path: '/spec/containers/0/env/0' })),
  ],
  [
    'pods',
    jsonPatch,
    'items moved',
    (n) =>
      times(Math.min(n, 10_000), () => ({
        op: 'move',
        from: '/spec/containers/0/env/0',
        path: '/spec/containers/0/env/-',
      })),
  ],
];

function applied(stored: Stored, value: unknown): unknown {
  const { apiVersion, kind } = objects[stored](1);
  return { apiVersion, kind, ...(isContainer(value) ? value : {}) };
}

/** Patches of stored objects that are large. */
export function storedCases(namespace: string): readonly StallCase[] {
  const root = `/api/v1/namespaces/${namespace}`;
  return patches.map(([stored, contentType, name, patch]) => {
    const object = `${root}/${stored}/large`;
    return {
      name: `large ${stored} ${contentType} ${name}`,
      stored: (size): readonly FuzzRequest[] => [
        plain('DELETE', object, ['gracePeriodSeconds=0']),
        withJson('POST', `${root}/${stored}?fieldManager=before`, {
          ...objects[stored](size),
          metadata: { name: 'large' },
        }),
      ],
      request: (size) =>
        withBody(
          'PATCH',
          `${object}?dryRun=All&fieldManager=stalls${contentType === apply ? '&force=true' : ''}`,
          contentType,
          JSON.stringify(contentType === apply ? applied(stored, patch(size)) : patch(size)),
        ),
    };
  });
}

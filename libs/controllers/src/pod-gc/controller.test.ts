import assert from 'node:assert/strict';
import type { Node, Pod, PodSpec, PodStatus } from '@apichain/api/core/v1';
import { RestClient, type TransportRequest } from '@apichain/client';
import { newConflict } from '@apichain/meta';
import { endedBeyond, garbageReason, removePod } from './controller.ts';

const pod = (
  name: string,
  spec: PodSpec,
  deleted = false,
  status: PodStatus = {},
  creationTimestamp = '2026-01-01T00:00:00Z',
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, creationTimestamp, ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  spec,
  status,
});
const node = (ready: string, key?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { taints: key === undefined ? [] : [{ key: `node.kubernetes.io/${key}`, effect: 'NoExecute' }] },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});

describe('garbage among pods', () => {
  const rows: readonly [what: string, pod: Pod, node: Node | undefined, reason: string | undefined][] = [
    ['a pod that waits', pod('a', {}), undefined, undefined],
    ['a pod that is deleted while it waits', pod('a', {}, true), undefined, 'unscheduled'],
    ['a pod of a node that is gone', pod('a', { nodeName: 'n' }), undefined, 'orphaned'],
    ['a pod of a node', pod('a', { nodeName: 'n' }), node('False', 'out-of-service'), undefined],
    [
      'a deleted pod of a node out of service',
      pod('a', { nodeName: 'n' }, true),
      node('Unknown', 'out-of-service'),
      'out-of-service',
    ],
    [
      'a deleted pod of a node that returns',
      pod('a', { nodeName: 'n' }, true),
      node('True', 'out-of-service'),
      undefined,
    ],
    ['a deleted pod of a node that is not ready', pod('a', { nodeName: 'n' }, true), node('False'), undefined],
  ];
  for (const [what, of, on, reason] of rows)
    it(what, () =>
      assert.equal(
        garbageReason(of, () => on),
        reason,
      ),
    );

  it('ended pods beyond the threshold, evicted ones first', () => {
    const pods = [
      pod('new', {}, false, { phase: 'Failed' }, '2026-01-03T00:00:00Z'),
      pod('old', {}, false, { phase: 'Succeeded' }, '2026-01-01T00:00:00Z'),
      pod('evicted', {}, false, { phase: 'Failed', reason: 'Evicted' }, '2026-01-04T00:00:00Z'),
      pod('running', {}, false, { phase: 'Running' }),
    ];
    assert.deepEqual(
      endedBeyond(1, pods).map(({ metadata }) => metadata.name),
      ['evicted', 'old'],
    );
    assert.deepEqual(endedBeyond(0, pods), []);
  });
});

describe('removePod', () => {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'db-0', uid: 'first' },
    status: { phase: 'Failed' },
  };

  it('leaves a later pod of the same name alone', async () => {
    const sent: TransportRequest[] = [];
    const client = new RestClient({
      send: (request) => {
        sent.push(request);
        const { code, status } = newConflict({ group: '', resource: 'pods' }, 'db-0', 'another uid');
        const body = [Buffer.from(JSON.stringify(status))];
        return Promise.resolve({
          ...{ status: code, headers: {} },
          body: Object.assign(ReadableStream.from(body), { dump: () => Promise.resolve() }),
        });
      },
      close: () => Promise.resolve(),
    });
    await removePod(client, pod, true);
    assert.deepEqual(
      sent.map(({ method, path, body }) => [method, path, JSON.parse(String(body)) as unknown]),
      [
        [
          'DELETE',
          '/api/v1/namespaces/default/pods/db-0',
          {
            ...{ kind: 'DeleteOptions', apiVersion: 'v1' },
            ...{ gracePeriodSeconds: 0, preconditions: { uid: 'first' } },
          },
        ],
      ],
    );
  });
});

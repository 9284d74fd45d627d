import assert from 'node:assert/strict';
import type { Pod } from '@apichain/api/core/v1';
import { RestClient, type TransportRequest } from '@apichain/client';
import { newConflict } from '@apichain/meta';
import { removePod } from './remove-pod.ts';

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

import assert from 'node:assert/strict';
import type { ResourceReference, Transport, TransportRequest } from '@apichain/client';
import { untilAborted } from '@apichain/meta';
import { testContext } from '../context.fixture.ts';
import { CountedResources } from './counted-resources.ts';

const quotas: ResourceReference = { group: '', version: 'v1', resource: 'resourcequotas' };
const discovered = {
  resource: 'resourcequotas',
  ...{
    responseKind: { group: '', version: 'v1', kind: 'ResourceQuota' },
    singularResource: 'resourcequota',
    scope: 'Namespaced',
  },
  verbs: ['create', 'delete', 'get', 'list', 'watch'],
};
const groups = (items: readonly object[]) => ({ kind: 'APIGroupDiscoveryList', items });
const documents: Readonly<Record<string, object>> = {
  '/api': groups([{ metadata: {}, versions: [{ version: 'v1', resources: [discovered] }] }]),
  '/apis': groups([]),
};
const initialEvents = [
  { type: 'ADDED', object: { metadata: { namespace: 'default', name: 'quota', uid: 'quota', resourceVersion: '1' } } },
  {
    type: 'BOOKMARK',
    object: { metadata: { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } } },
  },
];

describe('the resources that quotas count', () => {
  it('have the quotas that the controller knows', async () => {
    const stop = new AbortController();
    // Requests for metadata alone are not answered.
    const send = async ({ path, headers }: TransportRequest): ReturnType<Transport['send']> => {
      if (JSON.stringify(headers).includes('PartialObjectMetadata')) await untilAborted(stop.signal);
      const document = documents[path];
      const lines = document === undefined ? initialEvents : [document];
      const body = {
        async *[Symbol.asyncIterator]() {
          for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
          if (document === undefined) await untilAborted(stop.signal);
        },
        async dump() {},
      };
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    };
    const context = testContext(send, stop.signal);
    const known = context.informer(quotas);
    known.start();
    await known.waitForSync();
    const resources = new CountedResources(context, () => undefined);
    const { counted, isComplete } = await resources.count(['resourcequotas'], 'default', () => undefined);
    assert.deepEqual([isComplete, counted.map(({ objects }) => objects.length)], [true, [1]]);
    stop.abort();
    await Promise.all([resources.stop(), known.stop()]);
  });
});

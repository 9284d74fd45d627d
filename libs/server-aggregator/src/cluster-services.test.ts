import assert from 'node:assert/strict';
import { RestClient, type Transport } from '@apichain/client';
import { ClusterServices } from './cluster-services.ts';

/** Lists the objects of each path. Watches report nothing. */
const listing = (lists: Readonly<Record<string, readonly object[]>>): Transport => ({
  async send({ path, longRunning }) {
    const [, items] = Object.entries(lists).find(([name]) => path.includes(name)) ?? [];
    if (longRunning === true || items === undefined) return new Promise(() => undefined);
    async function* body() {
      yield Buffer.from(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items }));
    }
    return { status: 200, headers: {}, body: Object.assign(body(), { dump: async () => {} }) };
  },
  close: async () => {},
});

describe('the Services that an aggregator follows', () => {
  const metadata = {
    namespace: 'ns',
    name: 'web',
    resourceVersion: '7',
    annotations: { large: 'x'.repeat(1_000) },
    managedFields: [{ manager: 'me' }],
  };

  it('are kept without what it does not read', async () => {
    const service = {
      metadata,
      spec: {
        type: 'ClusterIP',
        clusterIP: '10.0.0.9',
        selector: { app: 'web' },
        ports: [{ name: 'https', port: 443, targetPort: 8443, protocol: 'TCP' }],
      },
    };
    const slice = {
      metadata: { ...metadata, name: 'web-1', labels: { 'kubernetes.io/service-name': 'web', other: 'x' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: true, serving: true }, nodeName: 'n1' }, {}],
      ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
    };
    const changed = new Set<string>();
    const { promise: allChanged, resolve } = Promise.withResolvers<void>();
    let changes = 0;
    const services = new ClusterServices(
      new RestClient(listing({ '/services': [service], '/endpointslices': [slice] })),
      (namespace, name) => {
        changed.add(`${namespace}/${name}`);
        if (++changes === 2) resolve();
      },
      assert.ifError,
    );
    services.start();
    await allChanged;
    assert.deepEqual([...changed], ['ns/web']);
    assert.deepEqual(services.service('ns', 'web'), {
      apiVersion: 'v1',
      kind: '',
      metadata: { namespace: 'ns', name: 'web', resourceVersion: '7' },
      spec: {
        type: 'ClusterIP',
        clusterIP: '10.0.0.9',
        externalName: undefined,
        ports: [{ name: 'https', port: 443 }],
      },
    });
    const [kept] = services.endpointSlices('ns', 'web');
    assert.deepEqual(kept?.metadata.labels, { 'kubernetes.io/service-name': 'web' });
    assert.deepEqual(kept?.endpoints, [
      { addresses: ['10.1.0.1'], conditions: { ready: true } },
      { addresses: undefined, conditions: { ready: undefined } },
    ]);
    assert.deepEqual(kept?.ports, [{ name: 'https', port: 8443 }]);
    void services.stop();
  });
});

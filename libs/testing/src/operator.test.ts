import assert from 'node:assert/strict';
import {
  controller,
  indexField,
  kinds,
  loadKubeconfig,
  newClient,
  silentLogger,
  startManager,
  type Controller,
  type RestClient,
} from '@apichain/client/library';
import { startChain } from './start-chain.ts';
import type { TestChain } from './test-chain.ts';

const configMaps = { ...kinds.ConfigMap, namespace: 'default' };

/** Runs controllers by the clock of a chain while a test runs. */
async function withManager(
  chain: TestChain,
  controllers: readonly Controller[],
  test: (client: RestClient) => Promise<void>,
): Promise<void> {
  const client = newClient(loadKubeconfig(chain.kubeconfigFile));
  const manager = await chain.run(() => startManager({ client, controllers, log: silentLogger }));
  try {
    await test(client);
  } finally {
    await manager.stop();
    await client.close();
  }
}

describe('controllers of operators', () => {
  let chain: TestChain;
  before(async () => (chain = await startChain({ clock: 'virtual', controllers: ['garbagecollector'] })));
  after(() => chain.stop());

  const create = (client: RestClient, name: string, data: Record<string, string> = {}) =>
    client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

  it('wait by the clock of the test, and back off by it', async () => {
    let calls = 0;
    const timed = controller({ for: kinds.ConfigMap, name: 'timed' }).reconcile(async ({ request }) => {
      if (request.name !== 'timed') return;
      calls++;
      if (calls < 12) throw new Error('not yet');
      return { requeueAfter: '1h' };
    });
    await withManager(chain, [timed], async (client) => {
      await create(client, 'timed');
      await chain.settle();
      // 5 ms, 10 ms ... 640 ms: what waits up to a second is over at once.
      assert.equal(calls, 9);
      await chain.clock.advance('20s');
      assert.equal(calls, 12);
      await chain.clock.advance('59m');
      assert.equal(calls, 12);
      await chain.clock.advance('2m');
      assert.equal(calls, 13);
    });
  });

  it('keep what they own, map what they watch, and list from their cache what was written before', async () => {
    const byOwner = indexField(kinds.ConfigMap, 'data.secret', ({ data }) => [data?.['secret'] ?? '']);
    const copying = controller({
      for: kinds.ConfigMap,
      owns: [kinds.Secret],
      indexes: [byOwner],
      watches: [
        {
          source: kinds.ServiceAccount,
          map: async ({ metadata: { namespace = '', name = '' } }, client) => {
            const { items } = await client.list(
              { ...kinds.ConfigMap, namespace },
              { fieldSelector: `data.secret=${name}` },
            );
            return items.map((item) => ({ namespace, name: item.metadata.name ?? '' }));
          },
        },
      ],
    }).reconcile(async ({ object, request, apply, client }) => {
      const name = object.data?.['secret'];
      if (name === undefined) return;
      const accounts = await client.list({ ...kinds.ServiceAccount, namespace: request.namespace });
      const found = accounts.items.some(({ metadata }) => metadata.name === name);
      await apply(kinds.Secret, { metadata: { name }, stringData: { account: String(found) } });
    });
    await withManager(chain, [copying], async (client) => {
      const secrets = { ...kinds.Secret, namespace: 'default' };
      const account = async () => {
        await chain.settle();
        return Buffer.from((await client.get(secrets, 's')).data?.['account'] ?? '', 'base64').toString();
      };
      await create(client, 'owner', { secret: 's' });
      assert.equal(await account(), 'false');
      await client.delete(secrets, 's');
      assert.equal(await account(), 'false');
      await client.create(
        { ...kinds.ServiceAccount, namespace: 'default' },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 's' } },
      );
      assert.equal(await account(), 'true');
      await client.delete(configMaps, 'owner');
      await chain.settle();
      await assert.rejects(client.get(secrets, 's'), { reason: 'NotFound' });
    });
  });

  it('have constants for the kinds of Kubernetes, as the server serves them', async () => {
    const client = newClient(loadKubeconfig(chain.kubeconfigFile));
    const served = new Map<string, string>();
    const groupVersions = new Set(
      Object.values(kinds).map(({ group, version }) =>
        group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
      ),
    );
    for (const path of groupVersions) {
      const { resources } = (await client.request('GET', path)) as {
        resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
      };
      for (const { name, kind, namespaced, verbs } of resources)
        if (verbs.includes('watch')) served.set(`${path}/${name}`, `${kind} ${namespaced}`);
    }
    for (const { group, version, resource, kind, namespaced } of Object.values(kinds)) {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      assert.equal(served.get(`${path}/${resource}`), `${kind} ${namespaced}`, resource);
    }
    await client.close();
  });
});

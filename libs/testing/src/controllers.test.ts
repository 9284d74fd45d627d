import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './call.fixture.ts';
import { startChain } from './start-chain.ts';

describe('controllers', () => {
  it('delete namespaces and collect dependents when they are enabled', async function () {
    this.timeout(60_000);
    await using chain = await startChain({
      controllers: ['namespace', 'garbagecollector'],
      manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
    });
    const path = '/api/v1/namespaces/shop/configmaps';
    const create = async (name: string, ownerReferences: object[] = []) => {
      const { json } = await call(chain, path, {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } },
      });
      return (json['metadata'] as { uid: string }).uid;
    };
    const goes = async (what: string) => {
      for (let tries = 0; (await call(chain, what)).status !== 404; tries++) {
        assert.ok(tries < 500, `${what} is still there`);
        await sleep(10);
      }
    };
    const uid = await create('owner');
    await create('dependent', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]);
    await call(chain, `${path}/owner`, undefined, chain.admin, 'DELETE');
    await goes(`${path}/dependent`);
    await call(chain, '/api/v1/namespaces/shop', undefined, chain.admin, 'DELETE');
    await goes('/api/v1/namespaces/shop');
    await assert.rejects(startChain({ controllers: ['nobody'] }), /nobody/);
  });
});

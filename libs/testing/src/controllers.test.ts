import assert from 'node:assert/strict';
import { call } from './call.fixture.ts';
import { startChain } from './start-chain.ts';

describe('controllers', () => {
  it('delete namespaces and collect dependents when they are enabled', async () => {
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
      await chain.settle();
      assert.equal((await call(chain, what)).status, 404, `${what} is still there`);
    };
    const uid = await create('owner');
    await create('dependent', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]);
    await call(chain, `${path}/owner`, undefined, chain.admin, 'DELETE');
    await goes(`${path}/dependent`);
    await call(chain, '/api/v1/namespaces/shop', undefined, chain.admin, 'DELETE');
    await goes('/api/v1/namespaces/shop');
    await assert.rejects(startChain({ controllers: ['nobody'] }), /nobody/);
  });

  it('live by the clock of their chain', async () => {
    await using chain = await startChain({ controllers: ['ttl-after-finished', 'tokencleaner'] });
    const hourMs = 3_600_000;
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().replace(/\.\d+Z$/, 'Z');
    const container = { name: 'a', image: 'a' };
    const job = (name: string, ttlSecondsAfterFinished: number) => ({
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
      spec: { ttlSecondsAfterFinished, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
    });
    const token = (id: string, expiration: string) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'bootstrap.kubernetes.io/token' },
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', expiration },
    });
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const secrets = '/api/v1/namespaces/kube-system/secrets';
    for (const [name, ttl] of [
      ['short', 3_600],
      ['long', 36_000],
    ] as const) {
      const { json } = await call(chain, jobs, job(name, ttl));
      const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: at(0) });
      const { status, json: written } = await call(
        chain,
        `${jobs}/${name}/status`,
        {
          ...json,
          status: {
            ...{ startTime: at(0), completionTime: at(0), succeeded: 1, uncountedTerminatedPods: {} },
            conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
          },
        },
        chain.admin,
        'PUT',
      );
      assert.equal(status, 200, JSON.stringify(written));
    }
    assert.equal((await call(chain, secrets, token('aaaaaa', at(hourMs)))).status, 201);
    assert.equal((await call(chain, secrets, token('bbbbbb', at(10 * hourMs)))).status, 201);
    await chain.clock.advance(2 * hourMs);
    await chain.settle();
    assert.equal((await call(chain, `${secrets}/bootstrap-token-aaaaaa`)).status, 404);
    // The garbage collector would remove the finalizer.
    const { json: short } = await call(chain, `${jobs}/short`);
    assert.ok((short['metadata'] as { deletionTimestamp?: string }).deletionTimestamp !== undefined);
    for (const stays of [`${jobs}/long`, `${secrets}/bootstrap-token-bbbbbb`])
      assert.equal((await call(chain, stays)).status, 200);
  });
});

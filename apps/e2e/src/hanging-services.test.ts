import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('processes of a chain that hang', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain?.stop());

  it('are restarted by the supervisor, and no write is lost', async function () {
    this.timeout(120_000);
    const body = JSON.stringify({ metadata: { name: 'kept' } });
    assert.equal((await call(chain, 'POST', configMaps, { body })).status, 201);
    const parts = ['etcd', 'apiextensions', 'kube-core'];
    const before = chain.pids();
    for (const part of parts) process.kill(before[part] ?? 0, 'SIGSTOP');
    await waitFor(
      () => parts.every((part) => chain.pids()[part] !== before[part]),
      60_000,
      () => `not all were started again: ${chain.output()}`,
    );
    for (const part of parts) {
      assert.throws(() => process.kill(before[part] ?? 0, 0), /ESRCH/);
      assert.match(chain.output(), new RegExp(`${part} did not answer \\(.+\\) and was started again`));
    }
    await waitFor(
      async () => (await call(chain, 'GET', `${configMaps}/kept`)).status === 200,
      30_000,
      () => 'the chain does not answer',
    );
    // A service that waited for the others did not count as hung.
    assert.equal(chain.pids()['aggregator'], before['aggregator']);
    assert.match(readFileSync(join(chain.dataDirectory, 'pids.json'), 'utf8'), /"kube-core":\d+/);
  });
});

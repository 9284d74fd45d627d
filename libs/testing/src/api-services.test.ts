import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { call } from './call.fixture.ts';
import { startChain } from './start-chain.ts';
import { type ApiServiceUser } from './api-services.ts';
import { type TestChain } from './test-chain.ts';

describe('apiServices', () => {
  let chain: TestChain;
  const users: ApiServiceUser[] = [];
  before(async () => {
    chain = await startChain({
      users: [{ name: 'alice', groups: ['system:masters', 'gardeners'] }],
      apiServices: [
        {
          group: 'fruits.example.com',
          version: 'v1',
          resources: [{ name: 'fruits', kind: 'Fruit', namespaced: false, verbs: ['get', 'list'] }],
          handler: (request, response, user) => {
            users.push(user);
            if (request.url?.endsWith('/broken') === true) throw new Error('rotten');
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ kind: 'FruitList', apiVersion: 'fruits.example.com/v1', items: [] }));
          },
        },
      ],
    });
  });
  after(() => chain.stop());

  it('are served from start-up on, with the identity of the caller', async () => {
    const { status, json } = await call(chain, '/apis/fruits.example.com/v1/fruits', undefined, chain.users['alice']);
    assert.deepEqual([status, json['kind']], [200, 'FruitList']);
    assert.equal(users[0]?.name, 'alice');
    assert.deepEqual(users[0]?.groups, ['system:masters', 'gardeners', 'system:authenticated']);
    const groups = (await call(chain, '/apis')).json['groups'] as { name: string }[];
    assert.ok(groups.some(({ name }) => name === 'fruits.example.com'));
    const broken = await call(chain, '/apis/fruits.example.com/v1/fruits/broken');
    assert.equal(broken.status, 500);
    assert.match(String(broken.json['message']), /rotten/);
  });

  it('are registered for a server of the test', async () => {
    const options = { group: 'nuts.example.com', version: 'v1alpha1' };
    const { certificate: cert, key } = await chain.issueServing(['v1alpha1-nuts-example-com.default.svc']);
    const server = createServer({ cert, key }, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ kind: 'APIResourceList', groupVersion: 'nuts.example.com/v1alpha1', resources: [] }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await chain.addApiService({ ...options, port: (server.address() as AddressInfo).port });
      assert.equal((await call(chain, '/apis/nuts.example.com/v1alpha1')).status, 200);
    } finally {
      server.close();
      server.closeAllConnections();
    }
    await assert.rejects(chain.addApiService(options), RangeError);
  });
});

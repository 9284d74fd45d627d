import assert from 'node:assert/strict';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createCA, issueServing } from '@apichain/serving';
import { secureAgent } from '@apichain/delegation';

describe('an idle TLS connection', () => {
  let server: https.Server;
  const agent = secureAgent({ rejectUnauthorized: false }, { maxSockets: 1, maxFreeSockets: 1 });
  before(async () => {
    const { certificate, key } = await issueServing(await createCA('ca'), 'test', ['localhost']);
    server = https.createServer({ cert: certificate, key }, (_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    agent.destroy();
    server?.close();
  });

  const ask = () =>
    new Promise<WeakRef<object>>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const request = https.get({ host: '127.0.0.1', port, agent }, (response) =>
        response.resume().once('end', () => resolve(new WeakRef(request))),
      );
      request.once('error', reject);
    });

  it('keeps nothing of the request that opened it', async () => {
    const first = await ask();
    while (Object.keys(agent.freeSockets).length === 0) await turn();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let left = 20; left > 0 && first.deref() !== undefined; left--) {
      await turn();
      collect();
    }
    assert.equal(Object.keys(agent.freeSockets).length, 1, 'it is open');
    assert.equal(first.deref(), undefined);
  });
});

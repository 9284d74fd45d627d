import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { UnhealthyComponent } from '@apichain/kinds-registry';
import { componentProbes, localProbe } from './component-probes.ts';

describe('componentProbes', () => {
  it('say that a component is not there in the words of Go', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    await assert.rejects(localProbe(port)(), (error: unknown) => {
      assert.ok(error instanceof UnhealthyComponent);
      const address = `127.0.0.1:${port}`;
      assert.equal(error.message, `Get "https://${address}/healthz": dial tcp ${address}: connect: connection refused`);
      return true;
    });
  });

  it('know the components of a control plane', () => {
    assert.deepEqual(Object.keys(componentProbes([() => Promise.resolve()])), [
      'controller-manager',
      'scheduler',
      'etcd-0',
    ]);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Chain, startChain, waitFor } from './chain.ts';
import { apichain } from './command-line.ts';
import { call } from './http.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('processes of a chain that hang', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain?.stop());

  it('are restarted by the supervisor, and no write is lost', async function () {
    this.timeout(480_000);
    const body = JSON.stringify({ metadata: { name: 'kept' } });
    assert.equal((await call(chain, 'POST', configMaps, { body })).status, 201);
    const parts = ['etcd', 'apiextensions', 'kube-core'];
    const before = chain.pids();
    for (const part of parts) process.kill(before[part] ?? 0, 'SIGSTOP');
    // The line about a process follows its start.
    const isReported = (part: string) =>
      new RegExp(`${part} did not respond \\(.+\\) and was started again`).test(chain.output());
    await waitFor(
      () => parts.every((part) => chain.pids()[part] !== before[part] && isReported(part)),
      60_000,
      () => `not all were started again: ${chain.output()}`,
    );
    for (const part of parts) assert.throws(() => process.kill(before[part] ?? 0, 0), /ESRCH/);
    await waitFor(
      async () => (await call(chain, 'GET', `${configMaps}/kept`)).status === 200,
      30_000,
      () => 'the chain does not respond',
    );
    // A service that waited for the others did not count as hung.
    assert.equal(chain.pids()['aggregator'], before['aggregator']);
    assert.match(readFileSync(join(chain.dataDirectory, 'pids.json'), 'utf8'), /"kube-core":\d+/);
  });

  it('are told by doctor in a few seconds, the store first', async () => {
    const pids = Object.values(chain.pids());
    // The client of etcd alone would wait longer.
    const limitMs = 60_000;
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      const began = performance.now();
      const { code, stdout } = await apichain('doctor', `--data-dir=${chain.dataDirectory}`);
      assert.ok(performance.now() - began < limitMs, stdout);
      assert.equal(code, 1);
      assert.match(stdout, /^FAIL +store .*no response within 5000 ms$.*^FAIL +server .*no response within 8 s$/ms);
      const state = await apichain('status', `--data-dir=${chain.dataDirectory}`);
      assert.match(state.stderr, /the chain is not ready: no response within 2000 ms/);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
  });

  it('are told by doctor also where the store is a silent etcd at a port', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const began = performance.now();
    const servers = `--etcd-servers=http://127.0.0.1:${port}`;
    const { stdout } = await apichain('doctor', `--data-dir=${chain.dataDirectory}`, servers);
    const took = performance.now() - began;
    for (const socket of sockets) socket.destroy();
    silent.close();
    assert.match(stdout, /^FAIL +store +http:/m);
    assert.ok(took < 60_000, `${took} ms`);
  });
});

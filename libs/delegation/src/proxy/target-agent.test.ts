import assert from 'node:assert/strict';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeIdle, plainAgent } from './target-agent.ts';

describe('an agent of a server', () => {
  let server: Server;
  let connections = 0;
  const agent = plainAgent({ maxSockets: 4, maxFreeSockets: 4 });
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      get({ host: '127.0.0.1', port, agent }, (response) =>
        response.resume().once('end', () => setImmediate(resolve)),
      ).once('error', reject);
    });

  before(async () => {
    server = createServer((_request, response) => response.end());
    server.on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    agent.destroy();
    server?.close();
  });

  it('uses connections again until they are closed, and then opens new ones', async () => {
    await ask();
    await ask();
    assert.equal(connections, 1);
    closeIdle(agent);
    await ask();
    assert.equal(connections, 2);
  });

  it('reaches a server at a Unix socket, whatever the path of the request', async () => {
    const socketPath = join(tmpdir(), `apichain-agent-${process.pid}.sock`);
    const local = createServer((request, response) => response.end(request.url));
    await new Promise<void>((resolve) => local.listen(socketPath, resolve));
    try {
      const path = await new Promise<string>((resolve, reject) => {
        get({ socketPath, path: '/version', agent }, (reply) => reply.setEncoding('utf8').once('data', resolve)).once(
          'error',
          reject,
        );
      });
      assert.equal(path, '/version');
    } finally {
      agent.destroy();
      local.close();
    }
  });
});

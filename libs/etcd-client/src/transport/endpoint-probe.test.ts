import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeEndpoint } from './endpoint-probe.ts';
import { wasNeverSent } from '../etcd-error.ts';

describe('probeEndpoint', () => {
  const dir = mkdtempSync(join(tmpdir(), 'apichain-probe-'));
  after(() => rmSync(dir, { recursive: true }));

  it('tells whether something listens at a URL or a Unix socket, and leaves no connection', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const local = createServer();
    local.listen(join(dir, 'socket'));
    await once(local, 'listening');
    const endpoints = [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`, `unix://${dir}/socket`];
    for (const endpoint of endpoints) await probeEndpoint(endpoint, 1_000);
    // Ends only when no connection is left.
    for (const each of [server, local]) await new Promise((resolve) => each.close(resolve));
    for (const endpoint of endpoints) await assert.rejects(probeEndpoint(endpoint, 1_000), wasNeverSent);
  });

  it('does not wait longer than it may', async () => {
    // An address of a network for documentation, which nobody has (RFC 5737).
    await assert.rejects(probeEndpoint('http://192.0.2.1:2379', 50), wasNeverSent);
  });
});

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort, listenOnce } from './free-port.ts';

describe('free ports', () => {
  it('are not ephemeral, and each is returned once', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    assert.equal(new Set(ports).size, ports.length);
    for (const port of ports) assert.ok(port >= 10_000 && port < 30_000, String(port));
  });

  it('are not chosen by another process meanwhile', async () => {
    const other = createSocket('udp4');
    const port = await freePort();
    other.bind({ port, address: '127.0.0.1', exclusive: true });
    const [error] = (await once(other, 'error')) as [Error];
    assert.match(error.message, /EADDRINUSE/);
    other.close();
  });

  it('can be listened on, and not twice', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await assert.rejects(listenOnce('127.0.0.1', port), { code: 'EADDRINUSE' });
    server.close();
    await once(server, 'close');
    await listenOnce('127.0.0.1', port);
  });

  it('are refused on an address of another machine', async () => {
    await assert.rejects(freePort('192.0.2.1'), { code: 'EADDRNOTAVAIL' });
  });
});

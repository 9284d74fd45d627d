import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Http1Connections } from './http1-connections.ts';

describe('Http1Connections', () => {
  let server: http.Server;
  let connections: Http1Connections;
  let responses: WeakRef<http.ServerResponse>[];
  let clients: Socket[];

  beforeEach(async () => {
    responses = [];
    clients = [];
    server = http.createServer((_request, response) => {
      responses.push(new WeakRef(response));
      response.end('done');
    });
    connections = new Http1Connections(server, 'connection');
    server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const client of clients) client.destroy();
    connections.destroy();
    server.close();
  });

  /** A connection on which a request was answered. */
  async function connection(headers = ''): Promise<Socket> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(client);
    client.write(`GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    await once(client, 'data');
    return client;
  }

  it('keeps nothing of a response that was sent', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    for (let at = 0; at < 5; at++) await connection();
    for (let left = 50; left > 0 && responses.some((response) => response.deref() !== undefined); left--) {
      await delay(10);
      collectGarbage();
    }
    assert.deepEqual(
      responses.map((response) => response.deref() !== undefined),
      [false, false, false, false, false],
    );
    assert.equal(connections.size, 5);
  });

  it('closes idle connections when the server stops, and leaves those that were taken over', async () => {
    const upgraded = await connection('Connection: Upgrade\r\nUpgrade: a\r\n');
    const idle = await connection();
    const ended: string[] = [];
    for (const [name, socket] of Object.entries({ upgraded, idle })) socket.on('end', () => ended.push(name));
    server.close();
    await once(idle, 'end');
    await delay(50);
    assert.deepEqual(ended, ['idle']);
    assert.equal(connections.size, 0);
  });
});

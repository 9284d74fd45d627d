import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Http2Sessions } from './http2-sessions.ts';

const idleMs = 50;

describe('the sessions of an HTTP/2 server', () => {
  let server: http2.Http2Server;
  let sessions: Http2Sessions;

  async function serve(idle: number): Promise<void> {
    server = http2.createServer();
    sessions = new Http2Sessions(server, idle);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  afterEach(() => {
    server.close();
  });

  const connect = () => http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  it('are closed when they have had no stream for a while', async () => {
    await serve(idleMs);
    await once(connect(), 'close');
    while (sessions.size > 0) await nextTurn();
  });

  it('stay open while they have a stream', async () => {
    await serve(idleMs);
    const waiting = Promise.withResolvers<http2.Http2ServerResponse>();
    server.on('request', (request, response) => {
      if (request.url === '/waits') waiting.resolve(response);
      else response.end();
    });
    const client = connect();
    const stream = client.request({ ':path': '/waits' });
    const response = await waiting.promise;
    // An idle session that begins later is closed meanwhile.
    await once(connect(), 'close');
    assert.equal(client.closed, false);
    response.end('here');
    stream.setEncoding('utf8');
    assert.deepEqual(await stream.toArray(), ['here']);
    await once(client, 'close');
  });

  it('are forgotten when they end', async () => {
    await serve(3_600_000);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const known: WeakRef<http2.ServerHttp2Session>[] = [];
    server.on('session', (session) => known.push(new WeakRef(session)));
    server.on('request', (_request, response) => response.end());
    for (let i = 0; i < 20; i++) {
      const client = connect();
      const stream = client.request();
      await once(stream.resume(), 'close');
      client.close();
      await once(client, 'close');
    }
    // Some may be held by the stack or by code that has not been optimised; with their timers all of them stayed.
    const held = () => known.filter((session) => session.deref() !== undefined).length;
    while (held() > 4) {
      await nextTurn();
      collect();
    }
  });
});

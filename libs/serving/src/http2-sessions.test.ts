import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '@apichain/meta/until.fixture';
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

/** All error codes of RFC 9113, section 7. */
const codes = Array.from({ length: 14 }, (_, code) => code);

/** What the client has sent of the body, what the handler has written, and what it reads, when the client resets the request. */
const bodies = ['none', 'half', 'whole'] as const;
const responses = ['none', 'begun', 'blocked', 'ended and blocked'] as const;
const readings = ['nothing', 'the body'] as const;

/** More than the window of a client that does not read. */
const large = Buffer.alloc(1 << 17);

describe('requests that HTTP/2 clients reset', () => {
  let server: http2.Http2Server;
  let sessions: http2.ClientHttp2Session[];
  let open: Set<string>;

  beforeEach(async () => {
    open = new Set();
    server = http2.createServer();
    new Http2Sessions(server, 60_000);
    server.on('request', (request, response) => {
      const path = request.url;
      const { written, reading } = Object.fromEntries(new URL(path, 'http://a').searchParams);
      open.add(path);
      response.once('close', () => open.delete(path));
      if (reading === 'the body') request.resume();
      if (written === 'begun') response.write('a');
      if (written === 'blocked') response.write(large);
      if (written === 'ended and blocked') response.end(large);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    sessions = [];
  });
  afterEach(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });

  function connect(): http2.ClientHttp2Session {
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    sessions.push(session);
    return session;
  }

  for (const reading of readings)
    it(`end, whatever their code, when their handler reads ${reading}`, async () => {
      const streams = codes.flatMap((code) => {
        // One connection may not keep more than 10 MB.
        const session = connect();
        return bodies.flatMap((body) =>
          responses.map((written) => {
            const path = `/?${new URLSearchParams({ code: String(code), body, written, reading }).toString()}`;
            const method = body === 'none' ? 'GET' : 'POST';
            const stream = session.request({ ':path': path, ':method': method }, { endStream: body === 'none' });
            stream.on('error', () => undefined);
            if (body === 'half') stream.write('half');
            if (body === 'whole') stream.end('whole');
            return { stream, code };
          }),
        );
      });
      await until(() => open.size === streams.length);
      assert.equal(open.size, streams.length);
      for (const { stream, code } of streams) stream.close(code);
      await until(() => open.size === 0);
      assert.deepEqual([...open], []);
    });

  it('end without an effect on the others of their connection', async () => {
    const session = connect();
    const gone = session.request({ ':path': '/?written=ended+and+blocked' });
    gone.on('error', () => undefined);
    const other = session.request({ ':path': '/?written=ended+and+blocked&other' });
    await until(() => open.size === 2);
    gone.close(http2.constants.NGHTTP2_NO_ERROR);
    let received = 0;
    for await (const chunk of other) received += (chunk as Buffer).length;
    assert.equal(received, large.length);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { attachScope, parseQuery, parseRequestInfo, RequestScope, ServerRuntime } from '@apichain/request';
import { HttpDelegationTarget } from './http.ts';

const portOf = (server: http.Server) => (server.address() as AddressInfo).port;
const part = Buffer.alloc(100_000, 'x');

describe('streams over the link', () => {
  let next: http.Server;
  let front: http.Server;
  let target: HttpDelegationTarget;
  let connections = 0;
  /** Bytes of `/endless` that have been written. */
  let written = 0;
  let ended = Promise.withResolvers<void>();
  let scope: RequestScope;

  const handlers: Readonly<Record<string, http.RequestListener>> = {
    '/parts': (_request, response) => {
      response.writeHead(200, { 'X-Part': ['a', 'b'], Trailer: 'X-Late' });
      for (let i = 0; i < 20; i++) response.write(Buffer.alloc(30_000 + i, String(i % 10)));
      response.addTrailers({ 'X-Late': '1' });
      response.end();
    },
    '/known': (_request, response) => void response.writeHead(200, { 'content-length': part.length }).end(part),
    '/echo': (request, response) => void request.pipe(response),
    '/dies': (request, response) => void response.write(part, () => request.socket.destroy()),
    '/api/v1/pods?watch=1&dies': (request, response) => void response.write('event', () => request.socket.destroy()),
    '/api/v1/pods?watch=1': (_request, response) => void response.write('event'),
    '/refuses': (request) => void request.socket.destroy(),
    '/closes': (_request, response) => void response.writeHead(200, { connection: 'close' }).end('last'),
    '/endless': (_request, response) => {
      response.once('close', () => ended.resolve());
      const more = () => {
        while (!response.destroyed) {
          written += part.length;
          if (!response.write(part)) break;
        }
      };
      response.on('drain', more);
      more();
    },
  };

  beforeEach(async () => {
    connections = 0;
    written = 0;
    ended = Promise.withResolvers<void>();
    next = http.createServer((request, response) => handlers[request.url ?? '']?.(request, response));
    next.on('connection', () => connections++);
    next.listen(0, '127.0.0.1');
    await once(next, 'listening');
    target = new HttpDelegationTarget({ url: `http://127.0.0.1:${portOf(next)}` });
    front = http.createServer((request, response) => {
      const url = request.url ?? '/';
      const own = new RequestScope(request, response, url, parseQuery(url), new ServerRuntime());
      own.requestInfo = parseRequestInfo('GET', url.replace(/\?.*/, ''), own.query);
      own.longRunning = own.requestInfo.verb === 'watch';
      scope = own;
      attachScope(own);
      response.once('close', () => {
        if (!response.writableFinished) own.abort(new Error('the client has gone'));
      });
      void target.handle(request, response);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  afterEach(async () => {
    target.close();
    for (const server of [front, next]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${portOf(front)}${path}`, init);

  it('forwards responses as they arrive, consecutively over one connection', async () => {
    const expected = Array.from({ length: 20 }, (_, i) => String(i % 10).repeat(30_000 + i)).join('');
    for (let i = 0; i < 3; i++) {
      const received = await ask('/parts');
      assert.equal(received.headers.get('x-part'), 'a, b');
      assert.ok((await received.text()) === expected);
    }
    const known = await ask('/known');
    assert.equal(known.headers.get('content-length'), String(part.length));
    assert.equal((await known.text()).length, part.length);
    assert.equal(await (await ask('/echo', { method: 'PUT', body: 'small' })).text(), 'small');
    assert.equal(connections, 1);
  });

  it('uses a new connection when the next server closes one', async () => {
    assert.equal(await (await ask('/closes')).text(), 'last');
    assert.equal((await (await ask('/known')).text()).length, part.length);
    assert.equal(connections, 2);
  });

  it('truncates a truncated response, and answers 503 without a response', async () => {
    await assert.rejects(async () => (await ask('/dies')).text());
    const refused = await ask('/refuses');
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '1');
  });

  it('ends watches without an error when the next server breaks off, and when it is itself shut down', async () => {
    assert.equal(await (await ask('/api/v1/pods?watch=1&dies')).text(), 'event');
    const watch = await ask('/api/v1/pods?watch=1');
    const events = watch.body?.getReader();
    assert.equal(Buffer.from((await events?.read())?.value ?? []).toString(), 'event');
    scope.abort(new Error('shutting down'));
    assert.equal((await events?.read())?.done, true);
  });

  it('holds a few buffers for a client that does not read, and ends when it disconnects', async () => {
    const client = net.connect(portOf(front), '127.0.0.1');
    client.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'readable');
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // Most of the bytes are in the buffers of the operating system.
    assert.ok(written < 30_000_000, `${written} bytes`);
    client.resume();
    for (const much = written + 20_000_000; written < much;) await once(client, 'data');
    client.destroy();
    await ended.promise;
  });
});

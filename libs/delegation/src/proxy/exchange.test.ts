import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { attachScope, createHttp2App, endWithResponse, noQuery, RequestScope, ServerRuntime } from '@apichain/request';
import { BackendExchange } from '../backend/backend-exchange.ts';
import { inProcessTransport } from '../in-process/in-process-transport.ts';
import { plainAgent } from './target-agent.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const portOf = (server: net.Server) => (server.address() as AddressInfo).port;

/** Responses of the next server, and what the client sees: a status, or a broken response. */
const oddResponses: Readonly<Record<string, readonly [sent: string, seen: number | 'broken']>> = {
  'status 000': ['HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n', 503],
  'status 999': ['HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n', 503],
  'status 1000': ['HTTP/1.1 1000 X\r\n\r\n', 503],
  'an upgrade that nobody asked for': ['HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nraw', 503],
  'a few announcements': ['HTTP/1.1 103 Early\r\nLink: a\r\n\r\n'.repeat(3) + ok, 200],
  'announcements without end': ['HTTP/1.1 103 Early\r\nLink: a\r\n\r\n'.repeat(1_000) + ok, 503],
  'a head without end': [`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(2 << 20)}`, 503],
  'a control character in the reason': ['HTTP/1.1 200 a\x01b\r\nContent-Length: 0\r\n\r\n', 200],
  'a control character in a header': ['HTTP/1.1 200 OK\r\nX-A: a\x01b\r\nContent-Length: 0\r\n\r\n', 503],
  'an empty header name': ['HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 0\r\n\r\n', 503],
  'a pseudo header': ['HTTP/1.1 200 OK\r\n:status: 200\r\nContent-Length: 0\r\n\r\n', 503],
  'two lengths': ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 503],
  'a header twice': ['HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Type: b\r\nContent-Length: 0\r\n\r\n', 200],
  'headers of the connection': [
    'HTTP/1.1 200 OK\r\nConnection: x-a\r\nX-A: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\nTE: gzip\r\nContent-Length: 0\r\n\r\n',
    200,
  ],
  'another response behind this one': [`${ok}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON`, 200],
  trailers: ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-T: a\r\n\r\n', 200],
  'a bad chunk': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n', 'broken'],
  'less than announced': ['HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n{}CLOSE', 'broken'],
  'little, and less than announced': ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}CLOSE', 503],
  nothing: ['CLOSE', 503],
};

describe('Exchange', () => {
  const agent = plainAgent({ maxSockets: 8, maxFreeSockets: 8 });
  let connections = 0;
  let other: net.Server;
  let over1: http.Server;
  let over2: http2.Http2Server;

  before(async () => {
    other = net.createServer((socket) => {
      connections++;
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        const path = decodeURIComponent(/^[A-Z]+ \/(\S*)/.exec(chunk.toString('latin1'))?.[1] ?? '');
        const [sent = ok] = oddResponses[path] ?? [];
        socket.write(sent.replace('CLOSE', ''), 'latin1');
        if (sent.endsWith('CLOSE')) setTimeout(() => socket.destroy(), 20);
      });
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const serve: http.RequestListener = (request, response) => {
      const scope = new RequestScope(request, response, request.url ?? '/', noQuery, new ServerRuntime());
      attachScope(scope);
      endWithResponse(scope);
      const place = { protocol: 'http:', host: '127.0.0.1', port: portOf(other), path: '', agent } as const;
      const { url: path = '/' } = request;
      new BackendExchange(request, response, place, { shown: path, path, prefix: '' }).start();
    };
    over1 = http.createServer(serve).listen(0, '127.0.0.1');
    const app2 = createHttp2App();
    app2.use(serve);
    over2 = http2.createServer();
    over2.addListener('request', app2);
    over2.listen(0, '127.0.0.1');
    await Promise.all([once(over1, 'listening'), once(over2, 'listening')]);
  });
  after(() => {
    agent.destroy();
    for (const server of [other, over1, over2]) server.close();
    over1.closeAllConnections();
  });

  const askHttp1 = (path: string) =>
    new Promise<number | 'broken'>((resolve) => {
      const request = http.get(
        { port: portOf(over1), path: `/${encodeURIComponent(path)}`, agent: false },
        (received) => {
          received.resume();
          received.on('error', () => resolve('broken'));
          received.on('end', () => resolve(received.statusCode ?? 0));
        },
      );
      request.on('error', () => resolve('broken'));
    });
  const askHttp2 = (path: string) =>
    new Promise<number | 'broken'>((resolve) => {
      const session = http2.connect(`http://127.0.0.1:${portOf(over2)}`);
      const stream = session.request({ ':path': `/${encodeURIComponent(path)}` });
      let status = 0;
      stream.on('response', (head) => (status = head[':status'] ?? 0));
      stream.on('error', () => undefined);
      stream.resume();
      stream.on('close', () => {
        session.destroy();
        resolve(stream.rstCode === 0 ? status : 'broken');
      });
    });

  for (const [name, [, seen]] of Object.entries(oddResponses))
    it(`fails only one request when the response has ${name}`, async () => {
      for (const ask of [askHttp1, askHttp2]) {
        assert.equal(await ask(name), seen, ask.name);
        assert.equal(await ask('well'), 200);
      }
    });

  it('uses a connection exclusively, and returns it to the pool', async () => {
    connections = 0;
    await Promise.all(Array.from({ length: 8 }, () => askHttp1('well')));
    assert.ok(connections <= 8);
    const before = connections;
    for (let i = 0; i < 20; i++) assert.equal(await askHttp1('well'), 200);
    assert.equal(connections, before);
  });

  it('retries when a pooled connection is closed', async () => {
    let served = 0;
    const closing = http.createServer((request, response) => {
      // Every second request on a connection finds it closed.
      if (++served % 2 === 0) request.socket.destroy();
      else response.end('{}');
    });
    closing.listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const kept = plainAgent({ maxSockets: 1, maxFreeSockets: 1 });
    const front = http.createServer((request, response) => {
      attachScope(new RequestScope(request, response, '/', noQuery, new ServerRuntime()));
      const place = { protocol: 'http:', host: '127.0.0.1', port: portOf(closing), path: '', agent: kept } as const;
      new BackendExchange(request, response, place, { shown: '/', path: '/', prefix: '' }).start();
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const ask = async (method: string) => (await fetch(`http://127.0.0.1:${portOf(front)}`, { method })).status;
    assert.deepEqual([await ask('GET'), await ask('GET'), served], [200, 200, 3]);
    assert.deepEqual([await ask('POST'), served], [503, 4], 'what may have happened does not happen twice');
    kept.destroy();
    for (const server of [front, closing]) {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('Exchange of large responses', () => {
  /** No two pieces of the size of a buffer are the same. */
  const large = randomBytes(3_000_000);
  const agent = plainAgent({ maxSockets: 2, maxFreeSockets: 2 });
  const kept: Buffer[] = [];
  let other: http.Server;
  let front: http.Server;

  class KeepingExchange extends BackendExchange {
    protected override keep(part: Buffer | undefined): void {
      if (part !== undefined) kept.push(part);
    }
  }

  const serve = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { url: path = '/' } = request;
    const scope = new RequestScope(request, response, path, noQuery, new ServerRuntime());
    attachScope(scope);
    endWithResponse(scope);
    const place = { protocol: 'http:', host: '127.0.0.1', port: portOf(other), path: '', agent } as const;
    new KeepingExchange(request, response, place, { shown: path, path, prefix: '' }).start();
  };

  beforeEach(async () => {
    kept.length = 0;
    other = http.createServer((request, response) => {
      const length = Number(request.url?.slice(1));
      if (length % 2 === 0) response.setHeader('content-length', length);
      response.end(large.subarray(0, length));
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    front = http.createServer(serve);
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  afterEach(() => {
    for (const server of [front, other]) {
      server.closeAllConnections();
      server.close();
    }
  });
  after(() => agent.destroy());

  const ask = async (length: number) =>
    Buffer.from(await (await fetch(`http://127.0.0.1:${portOf(front)}/${length}`)).arrayBuffer());

  it('arrive as they were sent, many at once over two connections', async () => {
    const lengths = [3_000_000, 2_999_999, 20_000, 200_000, 200_001, 10, 11, 65_536, 262_145];
    const asked = [...lengths, ...lengths, ...lengths];
    const bodies = await Promise.all(asked.map(ask));
    for (const [i, length] of asked.entries()) assert.ok(bodies[i]?.equals(large.subarray(0, length)), `${length}`);
  });

  it('arrive as they were sent when the client reads slowly', async () => {
    const request = http.get({ port: portOf(front), path: '/3000000', agent: false });
    const [received] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of received as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.ok(Buffer.concat(chunks).equals(large));
  });

  it('stay as they were sent for a client of the same process that keeps the parts', async () => {
    const transport = inProcessTransport(serve, {});
    for (const length of [3_000_000, 2_999_999, 200_001]) {
      const { body } = await transport.send({ method: 'GET', path: `/${length}`, headers: {} });
      const parts: Buffer[] = [];
      for await (const part of body as AsyncIterable<Buffer>) parts.push(part);
      assert.ok(Buffer.concat(parts).equals(large.subarray(0, length)), `${length}`);
    }
    await transport.close();
  });

  const assertFreed = () => {
    const bytes = kept.reduce((sum, part) => sum + part.length, 0);
    assert.ok(kept.length > 10);
    assert.ok(bytes < 500_000, `${bytes} bytes in ${kept.length} buffers`);
  };

  it('leave no large buffer behind once they are written', async () => {
    for (const length of [2_999_999, 3_000_000, 200_000]) await ask(length);
    assertFreed();
  });

  it('leave no large buffer behind over HTTP/2', async () => {
    const app = createHttp2App();
    app.use(serve);
    const over2 = http2.createServer();
    over2.addListener('request', app);
    over2.listen(0, '127.0.0.1');
    await once(over2, 'listening');
    const session = http2.connect(`http://127.0.0.1:${portOf(over2)}`);
    for (const length of [2_999_999, 3_000_000, 200_000]) {
      const stream = session.request({ ':path': `/${length}` });
      const parts: Buffer[] = [];
      for await (const part of stream as AsyncIterable<Buffer>) parts.push(part);
      assert.ok(Buffer.concat(parts).equals(large.subarray(0, length)), `${length}`);
    }
    session.close();
    over2.close();
    assertFreed();
  });
});

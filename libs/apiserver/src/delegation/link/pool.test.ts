import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { LinkPool } from './pool.ts';
import type { LinkResponse } from './whole-response.ts';

interface Answer {
  readonly response?: LinkResponse;
  readonly error?: Error;
  readonly mayHaveArrived?: boolean;
}

describe('LinkPool', () => {
  let server: http.Server;
  let pool: LinkPool;
  let connections = 0;
  /** Responses that the server holds back, by path. */
  const held = new Map<string, http.ServerResponse>();
  const arrived: string[] = [];

  beforeEach(async () => {
    connections = 0;
    held.clear();
    arrived.length = 0;
    server = http.createServer((request, response) => {
      const path = request.url ?? '';
      arrived.push(path);
      if (path.startsWith('/held')) held.set(path, response);
      else if (path === '/last') response.writeHead(200, { connection: 'close' }).end('last');
      else if (path === '/broken') request.socket.destroy();
      else request.pipe(response);
    });
    server.on('connection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    pool = new LinkPool({ host: '127.0.0.1', port, connectTimeoutMs: 1_000 });
  });
  afterEach(() => {
    pool.close();
    server.closeAllConnections();
    server.close();
  });

  function exchange(path: string, body?: string): [Parameters<LinkPool['sendAlone']>[0], Promise<Answer>] {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    return [
      {
        head: `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nHost: x\r\n${length}\r\n`,
        body: body === undefined ? undefined : Buffer.from(body),
        onResponse: (response) => resolve({ response }),
        onFailure: (error, mayHaveArrived) => resolve({ error, mayHaveArrived }),
      },
      promise,
    ];
  }
  const get = (path: string, lane = ''): Promise<Answer> => {
    const [request, answer] = exchange(path);
    pool.sendShared(lane, request);
    return answer;
  };
  const post = (path: string, body: string): Promise<Answer> => {
    const [request, answer] = exchange(path, body);
    pool.sendAlone(request);
    return answer;
  };
  const textOf = ({ response, error }: Answer): string => response?.body.toString() ?? String(error);
  const until = async (path: string): Promise<http.ServerResponse> => {
    for (let i = 0; i < 400 && !held.has(path); i++) await new Promise((resolve) => setTimeout(resolve, 5));
    const response = held.get(path);
    assert.ok(response !== undefined, `${path} did not arrive`);
    return response;
  };

  it('sends the requests of a lane over one connection and tells their answers apart', async () => {
    const answers = Array.from({ length: 20 }, (_, i) => get(`/held/${i}`));
    for (let i = 19; i >= 0; i--) (await until(`/held/${i}`)).end(String(i));
    assert.deepEqual((await Promise.all(answers)).map(textOf), [...answers.keys()].map(String));
    assert.equal(connections, 1);
  });

  it('holds up nobody in another lane, nor one who comes later', async () => {
    const slow = get('/held');
    await until('/held');
    assert.equal(textOf(await get('/other', 'another')), '');
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.equal(textOf(await get('/same')), '');
    held.get('/held')?.end('done');
    assert.equal(textOf(await slow), 'done');
  });

  it('gives a request alone a connection of its own, and keeps it', async () => {
    const slow = get('/held');
    const bodies = ['', 'x', 'y'.repeat(100_000)];
    assert.deepEqual((await Promise.all(bodies.map((body) => post('/echo', body)))).map(textOf), bodies);
    assert.equal(connections, 4);
    assert.equal(textOf(await post('/echo', 'again')), 'again');
    assert.equal(connections, 4);
    (await until('/held')).end();
    await slow;
  });

  it('goes on over a new connection when the server closes one', async () => {
    assert.equal(textOf(await get('/last')), 'last');
    assert.equal(textOf(await get('/next')), '');
    assert.equal(textOf(await post('/last', 'x')), 'last');
    assert.equal(textOf(await post('/next', 'y')), 'y');
    server.closeIdleConnections();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(textOf(await post('/next', 'z')), 'z');
  });

  it('tells every request of a connection that breaks whether it may have arrived', async () => {
    const failed = await Promise.all([get('/broken'), get('/behind')]);
    for (const { error, mayHaveArrived } of failed)
      assert.deepEqual([error !== undefined, mayHaveArrived], [true, true]);
    pool.close();
    const { error, mayHaveArrived } = await get('/late');
    assert.deepEqual([error?.message, mayHaveArrived], ['the link is closed', false]);
  });

  it('breaks the connection of a cancelled request that has it alone, and leaves a shared one to the others', async () => {
    const [alone] = exchange('/held/alone', '');
    const cancelAlone = pool.sendAlone(alone);
    const aborted = once(await until('/held/alone'), 'close');
    cancelAlone();
    await aborted;
    const [shared, never] = exchange('/held/shared');
    const cancelShared = pool.sendShared('', shared);
    const behind = get('/behind');
    cancelShared();
    (await until('/held/shared')).end('nobody hears this');
    assert.equal(textOf(await behind), '');
    assert.equal(await Promise.race([never, Promise.resolve('silent')]), 'silent');
  });
});

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http2, { type ClientHttp2Session } from 'node:http2';
import https from 'node:https';
import net, { type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { TestServers } from './server.fixture.ts';

/** What a client knows of its request: that it was answered, that it was not processed, or neither. */
type Known = 'done' | 'not processed' | 'nothing';

const body = 'x'.repeat(300);
/** The server ends the HTTP/2 connections of clients that it does not know. */
const authorization = 'Bearer secret';

/** A server in a process of its own, which ends as the programs do. */
class ServerProcess {
  readonly #child: ChildProcess;
  readonly committed = new Set<string>();
  readonly ended: Promise<unknown>;
  #url = Promise.withResolvers<string>();

  constructor() {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, 'graceful-shutdown.fixture.ts')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.ended = once(this.#child, 'close');
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const [what, text = ''] = line.split(' ');
      if (what === 'ready') this.#url.resolve(text);
      else this.committed.add(text);
    });
  }

  get url(): Promise<string> {
    return this.#url.promise;
  }

  stop(): void {
    this.#child.kill('SIGTERM');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

const over1 = (url: string, agent: https.Agent, name: string): Promise<Known> =>
  new Promise((resolve) => {
    const request = https.request(`${url}/commit/${name}`, { method: 'POST', agent, headers: { authorization } });
    request.on('error', () => resolve('nothing'));
    request.on('response', (response) => {
      response.resume().on('error', () => undefined);
      response.on('close', () => {
        if (!response.complete) resolve('nothing');
        else resolve(response.statusCode === 201 ? 'done' : 'not processed');
      });
    });
    request.end(body);
  });

/** As a Go client judges: a stream that is refused, or newer than the last one of GOAWAY, was not processed. */
const over2 = (session: ClientHttp2Session, last: () => number, name: string): Promise<Known> =>
  new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ':path': `/commit/${name}`, authorization });
    let status: number | undefined;
    let length = 0;
    stream.on('response', (headers) => (status = headers[':status']));
    stream.on('data', (chunk: Buffer) => (length += chunk.length));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      const isWhole = status !== undefined && stream.rstCode === 0 && (status !== 201 || length === body.length);
      if (isWhole) resolve(status === 201 ? 'done' : 'not processed');
      else {
        const isRefused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? Infinity) > last();
        resolve(status === undefined && isRefused ? 'not processed' : 'nothing');
      }
    });
    stream.end(body);
  });

/** Requests without a pause, until the server has ended. */
async function write(server: ServerProcess, version: 1 | 2): Promise<Map<string, Known>> {
  const url = await server.url;
  const known = new Map<string, Known>();
  let running = true;
  let serial = 0;
  const repeat = async (send: (name: string) => Promise<Known>, isOpen: () => boolean) => {
    while (running && isOpen()) {
      const name = `n${serial++}`;
      known.set(name, await send(name));
      // A connection that is refused takes no time, and others must make progress.
      if (known.get(name) === 'nothing') await delay(5);
    }
  };
  const writers: Promise<void>[] = [];
  const sessions: ClientHttp2Session[] = [];
  const agent = new https.Agent({ keepAlive: true, maxSockets: 30, rejectUnauthorized: false });
  if (version === 1) {
    for (let n = 0; n < 30; n++) writers.push(repeat((name) => over1(url, agent, name), () => true)); // oxfmt-ignore
  } else {
    for (let n = 0; n < 30; n++) {
      const session = sessions[n % 3] ?? http2.connect(url, { rejectUnauthorized: false });
      if (n < 3) {
        sessions.push(session);
        session.on('error', () => undefined);
      }
      let last = Infinity;
      session.on('goaway', (_code: number, lastStreamId: number) => {
        last = lastStreamId;
      });
      writers.push(
        repeat(
          (name) => over2(session, () => last, name),
          () => !session.closed && !session.destroyed,
        ),
      );
    }
  }
  while (known.size < 60) await delay(5);
  server.stop();
  await server.ended;
  running = false;
  await Promise.all(writers);
  for (const session of sessions) session.destroy();
  agent.destroy();
  return known;
}

describe('the responses of a server that stops', () => {
  const servers = new TestServers();
  const processes: ServerProcess[] = [];
  afterEach(() => {
    for (const server of processes.splice(0)) server.kill();
  });
  const start = (): ServerProcess => {
    const server = new ServerProcess();
    processes.push(server);
    return server;
  };

  for (const version of [1, 2] as const)
    it(`reach the clients of every request that was processed, over HTTP/${version}`, async () => {
      for (let round = 0; round < 2; round++) {
        const server = start();
        const known = await write(server, version);
        const of = (state: Known) => [...known].filter(([, each]) => each === state).map(([name]) => name);
        const { committed } = server;
        assert.ok(committed.size > 0);
        assert.deepEqual(of('done').filter((name) => !committed.has(name)), [], 'answered, and not done'); // oxfmt-ignore
        assert.deepEqual(of('nothing').filter((name) => committed.has(name)), [], 'done, and not answered'); // oxfmt-ignore
        assert.deepEqual(of('not processed').filter((name) => committed.has(name)), [], 'done, and refused'); // oxfmt-ignore
      }
    });

  it('are sent whole when a handler has ended them in the turn in which the server stops', async () => {
    const large = Buffer.alloc(16 * 1024 * 1024, 'x');
    const target = await servers.start({}, (server) =>
      server.paths.handle('/last', (_context, _request, response) => {
        response.end(large);
        void server.shutdown();
      }),
    );
    const { certificate: cert, key } = servers.certificates.admin;
    const agent = new https.Agent({ keepAlive: true });
    const request = https.get(`${target.url}/last`, { agent, cert, key, rejectUnauthorized: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length;
    assert.equal(length, large.length);
  });

  it('end the connections of HTTP/1.1, so that no client sends another request on them', async () => {
    const begun = Promise.withResolvers<void>();
    const target = await servers.start({}, (server) =>
      server.paths.handle('/slow', async (_context, _request, response) => {
        begun.resolve();
        await delay(100);
        response.end('done');
      }),
    );
    const { certificate: cert, key } = servers.certificates.admin;
    const agent = new https.Agent({ keepAlive: true });
    const request = https.get(`${target.url}/slow`, { agent, cert, key, rejectUnauthorized: false });
    await begun.promise;
    void target.server.shutdown();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    assert.equal(response.headers.connection, 'close');
    response.resume();
    await once(response, 'end');
  });

  it('arrive whole at a client that reads them late', async () => {
    const server = start();
    const port = Number(new URL(await server.url).port);
    let upstream: Socket | undefined;
    const late = net.createServer((client) => {
      upstream = net.connect(port, '127.0.0.1').on('error', () => client.destroy());
      client.on('error', () => upstream?.destroy());
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => late.listen(0, '127.0.0.1', resolve));
    const address = late.address();
    assert.ok(typeof address === 'object' && address !== null);
    const session = http2.connect(`https://127.0.0.1:${address.port}`, {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 1 << 25 },
    });
    session.on('error', () => undefined);
    await once(session, 'connect');
    session.setLocalWindowSize(1 << 25);
    const stream = session.request({ ':path': '/large', authorization });
    let length = 0;
    stream.on('data', (chunk: Buffer) => (length += chunk.length));
    stream.on('error', () => undefined);
    const closed = once(stream, 'close').catch(() => undefined);
    await once(stream, 'response');
    upstream?.pause();
    server.stop();
    await delay(200);
    upstream?.resume();
    await closed;
    assert.equal(length, 8 * 1024 * 1024);
    session.destroy();
    late.close();
    await server.ended;
  });
});

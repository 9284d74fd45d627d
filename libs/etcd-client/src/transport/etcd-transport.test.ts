import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { grpcStatus } from '@apichain/etcd-api';
import type { EtcdTransport } from './etcd-transport.ts';
import { openTransport } from '../etcd-client.ts';
import { EtcdError, isUnreachable, wasNeverSent } from '../etcd-error.ts';
import { succeed, TestServer, type CallHandler } from './grpc-server.fixture.ts';

async function failureOf(call: Promise<unknown>): Promise<EtcdError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof EtcdError, String(error));
  return error;
}

describe('transport to etcd', () => {
  const servers: { close(): void }[] = [];
  let channel: EtcdTransport | undefined;
  const serve = async (handle: CallHandler) => {
    const server = new TestServer(handle);
    servers.push(server);
    return { server, url: await server.listen() };
  };
  const call = (urls: readonly string[], message = 'hello', timeout = 30_000) => {
    channel ??= openTransport({ servers: urls });
    return channel.call({ path: '/test.Service/Method', message: Buffer.from(message), timeout });
  };
  const failure = async (handle: CallHandler, timeout?: number): Promise<EtcdError> => {
    const { url } = await serve(handle);
    return failureOf(call([url], 'hello', timeout));
  };
  afterEach(() => {
    channel?.close();
    channel = undefined;
    for (const server of servers.splice(0)) server.close();
  });

  it('sends a message and receives the response', async () => {
    const { url } = await serve(succeed);
    assert.equal(String(await call([url])), 'hello');
    assert.equal(String(await call([url], '')), '');
    const large = 'x'.repeat(10_000_000);
    assert.equal((await call([url], large)).length, large.length);
  });

  it('reports status and message of a failed call', async () => {
    const { code, message } = await failure((stream) => {
      stream.respond(
        { ':status': 200, 'grpc-status': String(grpcStatus.OUT_OF_RANGE), 'grpc-message': 'no %C3%BCber%20revision' },
        { endStream: true },
      );
    });
    assert.deepEqual([code, message], [grpcStatus.OUT_OF_RANGE, 'no über revision']);
  });

  it('times out', async () => {
    const { url } = await serve((stream, message) => {
      if (String(message) === 'answered') succeed(stream, message);
    });
    // The connection is open, however long that takes, before the call that is not answered.
    await call([url], 'answered');
    const error = await failureOf(call([url], 'hello', 50));
    assert.equal(error.code, grpcStatus.DEADLINE_EXCEEDED);
    assert.ok(!wasNeverSent(error));
  });

  it('works when a connection opens just after its timeout', async () => {
    const { url } = await serve(succeed);
    // Where the connection is quicker than the timeout, the call has been sent.
    const late = assert.rejects(call([url], 'hello', 1), isUnreachable);
    // Blocks until the timeout has passed, before the event loop can notice that the kernel has connected.
    for (const until = Date.now() + 20; Date.now() < until;);
    await late;
    assert.equal(String(await call([url])), 'hello');
  });

  it('reports an interrupted call as undetermined', async () => {
    const error = await failure((stream) => stream.session?.destroy());
    assert.equal(error.code, grpcStatus.UNAVAILABLE);
    assert.ok(!wasNeverSent(error));
  });

  it('reports a call that the server did not process', async () => {
    assert.ok(wasNeverSent(await failure((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM))));
  });

  it('reports the response of an HTTP proxy', async () => {
    const error = await failure((stream) => {
      stream.respond({ ':status': 503 });
      stream.end('no upstream');
    });
    assert.equal(error.code, grpcStatus.UNAVAILABLE);
  });

  it('goes to another endpoint after a failure and stays there', async () => {
    const { server, url } = await serve(succeed);
    const urls = ['http://127.0.0.1:1', url];
    await assert.rejects(call(urls), wasNeverSent);
    for (let i = 0; i < 3; i++) await call(urls);
    assert.equal(server.calls, 3);
  });

  it('opens a new session after one was closed', async () => {
    const { url } = await serve((stream, message) => {
      succeed(stream, message);
      if (String(message) === 'last') stream.session?.close();
    });
    await call([url], 'last');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(String(await call([url])), 'hello');
  });

  it('fails immediately when it is closed', async () => {
    const { url } = await serve(succeed);
    await call([url]);
    channel?.close();
    await assert.rejects(call([url]), wasNeverSent);
  });

  describe('stream', () => {
    const openStream = async (handle: (stream: ServerHttp2Stream) => void) => {
      const server = createServer();
      server.on('stream', (stream) => {
        stream.on('error', () => undefined);
        handle(stream);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      servers.push({ close: () => server.close() });
      const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
      channel = openTransport({ servers: [url] });
      const messages: string[] = [];
      const ended = Promise.withResolvers<EtcdError>();
      const onEnd = (cause: Error) => {
        if (cause instanceof EtcdError) ended.resolve(cause);
        else ended.reject(cause);
      };
      const stream = await channel.stream(
        { path: '/test.Service/Method', metadata: { hasleader: 'true' }, timeout: 1_000 },
        { onMessage: (message) => messages.push(String(message)), onEnd },
      );
      return { stream, messages, ended: ended.promise };
    };
    const frame = (text: string) => {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(text.length, 1);
      return Buffer.concat([head, Buffer.from(text)]);
    };
    const respond = (stream: ServerHttp2Stream, code: string) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': code, 'grpc-message': 'no%20leader' }));
    };

    it('carries messages in both directions, in pieces of any size', async () => {
      const { stream, messages, ended } = await openStream((serverStream) => {
        respond(serverStream, '14');
        serverStream.on('data', (data: Buffer) => {
          const bytes = Buffer.concat([data, frame(''), frame('y'.repeat(100_000))]);
          for (const at of [0, 3, 7, 8, 20, 60_000])
            serverStream.write(bytes.subarray(at, { 0: 3, 3: 7, 7: 8, 8: 20, 20: 60_000 }[at]));
          serverStream.end();
        });
      });
      stream.write(Buffer.from('hello'));
      const cause = await ended;
      assert.deepEqual(messages, ['hello', '', 'y'.repeat(100_000)]);
      assert.equal(cause.code, grpcStatus.UNAVAILABLE);
      assert.equal(cause.message, 'no leader');
    });

    it('reports a broken connection', async () => {
      const { messages, ended } = await openStream((serverStream) => {
        respond(serverStream, '0');
        serverStream.write(frame('first'));
        setTimeout(() => serverStream.session?.destroy(), 20);
      });
      assert.equal((await ended).code, grpcStatus.UNAVAILABLE);
      assert.deepEqual(messages, ['first']);
    });

    it('emits nothing after it is cancelled', async () => {
      const opened = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      const { stream, ended } = await openStream((serverStream) => {
        respond(serverStream, '0');
        serverStream.on('close', closed.resolve);
        opened.resolve();
      });
      await opened.promise;
      stream.cancel();
      await closed.promise;
      let told = false;
      void ended.then(() => (told = true));
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(told, false);
    });
  });
});

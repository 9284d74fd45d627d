import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { grpcStatus } from '@apichain/etcd-api';
import { RangeResponse, TxnResponse } from '@apichain/etcd-api/etcdserverpb';
import { until } from '@apichain/meta/until.fixture';
import { connectEtcd, openTransport, type EtcdConnection } from '../etcd-client.ts';
import { EtcdError, wasNeverSent } from '../etcd-error.ts';
import type { EtcdTransport } from './etcd-transport.ts';
import { putIfAbsent } from '../etcd-txn.ts';
import { succeed, TestServer, type CallHandler } from './grpc-server.fixture.ts';

const key = Buffer.from('/key');
const header = { clusterId: '1', memberId: '1', revision: 7, raftTerm: 1 };
const rangeResponse = Buffer.from(RangeResponse.encode({ header, kvs: [], more: false, count: 0 }).finish());
const txnResponse = Buffer.from(TxnResponse.encode({ header, succeeded: true, responses: [] }).finish());

/** The part of etcd that these tests need. */
const asEtcd: CallHandler = (stream, _message, path) => {
  succeed(stream, path.endsWith('/Txn') ? txnResponse : path.endsWith('/Range') ? rangeResponse : Buffer.alloc(0));
};
const isOf = (path: string, ...names: string[]) => names.some((name) => path.endsWith(`/${name}`));

describe('several endpoints of etcd', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const serve = async (handle: CallHandler) => {
    const server = new TestServer(handle);
    closing.push(() => server.close());
    return { server, url: await server.listen() };
  };
  const connect = (...servers: string[]): EtcdConnection => {
    const connection = connectEtcd({ servers, prefix: '', callTimeoutMs: 8_000 });
    closing.push(() => connection.close());
    return connection;
  };
  const transport = (...servers: string[]): EtcdTransport => {
    const opened = openTransport({ servers });
    closing.push(() => opened.close());
    return opened;
  };
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('retries a read on the next endpoint after a broken connection, and never a write', async () => {
    const paths: string[] = [];
    const breaking: CallHandler = (stream, _message, path) => {
      paths.push(path);
      stream.session?.destroy();
    };
    const first = await serve(breaking);
    const second = await serve(asEtcd);
    assert.equal((await connect(first.url, second.url).range({ key })).header?.revision, 7);
    assert.equal(second.server.calls, 1);

    const error = await failureOf(putIfAbsent(connect(first.url, second.url), key, key, '0'));
    assert.ok(error instanceof EtcdError && error.code === grpcStatus.UNAVAILABLE && !wasNeverSent(error));
    assert.deepEqual(paths, ['/etcdserverpb.KV/Range', '/etcdserverpb.KV/Txn']);
    assert.equal(second.server.calls, 1);
  });

  it('retries a write on the next endpoint only if it was not sent', async () => {
    const { server, url } = await serve(asEtcd);
    assert.ok((await putIfAbsent(connect('http://127.0.0.1:1', url), key, key, '0')).succeeded);
    assert.equal(server.calls, 1);
  });

  it('abandons an endpoint that stopped responding, with all pending calls', async () => {
    const stopped = await serve(() => undefined);
    const { url } = await serve(asEtcd);
    const connection = connect(stopped.url, url);
    const ended = Promise.withResolvers<Error>();
    await connection.openWatch({ onMessage: () => undefined, onEnd: ended.resolve });
    const error = await failureOf(putIfAbsent(connection, key, key, '0'));
    assert.ok(
      error instanceof EtcdError && error.code === grpcStatus.UNAVAILABLE && !wasNeverSent(error),
      String(error),
    );
    assert.match(error.message, /stopped responding/);
    assert.match((await ended.promise).message, /stopped responding/);
    assert.ok((await putIfAbsent(connection, key, key, '0')).succeeded);
  });

  it('abandons what is still under way at a failed endpoint that has stopped responding', async () => {
    const failing = await serve((stream, _message, path) => {
      if (!isOf(path, 'Range')) return;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' }, { endStream: true });
    });
    const { url } = await serve(asEtcd);
    const opened = transport(failing.url, url);
    const ended = Promise.withResolvers<Error>();
    const request = { path: '/etcdserverpb.Watch/Watch', metadata: {}, timeout: 8_000 };
    const stream = await opened.stream(request, { onMessage: () => undefined, onEnd: ended.resolve });
    stream.write(key);
    const call = { path: '/etcdserverpb.KV/Range', message: key, timeout: 8_000 };
    assert.ok((await failureOf(opened.call(call))) instanceof EtcdError);
    // The endpoint is no longer asked for a sign of life: an error of that would be nobody's.
    assert.match((await ended.promise).message, /stopped responding/);
  });

  it('keeps a slow endpoint', async () => {
    const slow = await serve((stream, message, path) => {
      if (isOf(path, 'Range')) setTimeout(() => asEtcd(stream, message, path), 4_000);
      else asEtcd(stream, message, path);
    });
    const other = await serve(asEtcd);
    assert.equal((await connect(slow.url, other.url).range({ key })).header?.revision, 7);
    assert.equal(other.server.calls, 0);
  });

  it('abandons an endpoint after a call timeout, unless it has answered a later call', async () => {
    let mute = true;
    const first = await serve((stream, message, path) => {
      if (!mute || !isOf(path, 'Slow')) succeed(stream, message);
    });
    const second = await serve(succeed);
    const opened = transport(first.url, second.url);
    const call = (name: string, timeout: number) =>
      opened.call({ path: `/test.Service/${name}`, message: Buffer.from(name), timeout });
    const slow = failureOf(call('Slow', 300));
    await call('Quick', 5_000);
    assert.equal(((await slow) as EtcdError).code, grpcStatus.DEADLINE_EXCEEDED);
    await call('Quick', 5_000);
    assert.equal(second.server.calls, 0);
    assert.equal(((await failureOf(call('Slow', 300))) as EtcdError).code, grpcStatus.DEADLINE_EXCEEDED);
    mute = false;
    await call('Quick', 5_000);
    assert.equal(second.server.calls, 1);
  });

  it('times out on an endpoint that accepts connections and sends nothing', async () => {
    const silent = createSocketServer((socket) => socket.on('error', () => undefined));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    closing.push(() => silent.close());
    const { url } = await serve(asEtcd);
    const connection = connect(`http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`, url);
    assert.ok((await putIfAbsent(connection, key, key, '0')).succeeded);
  });

  it('tries all endpoints until one is available', async () => {
    const { server, url } = await serve(asEtcd);
    server.close();
    const connection = connect(url, 'http://127.0.0.1:1');
    for (let i = 0; i < 5; i++) assert.ok(wasNeverSent(await failureOf(putIfAbsent(connection, key, key, '0'))));
    const again = new TestServer(asEtcd);
    closing.push(() => again.close());
    await again.listen(Number(new URL(url).port));
    assert.ok((await putIfAbsent(connection, key, key, '0')).succeeded);
  });

  it('must agree on TLS and be URLs', () => {
    assert.throws(() => connect('http://127.0.0.1:1', 'https://127.0.0.1:2'), /all with TLS or all without/);
    assert.throws(() => connect('http://:1'), /"http:\/\/:1" is no URL/);
  });
});

describe('handlers of a stream', () => {
  let server: TestServer;
  let opened: EtcdTransport;
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  before(async () => {
    process.on('warning', onWarning);
    server = new TestServer((stream, message, path) => {
      if (!isOf(path, 'Watch')) succeed(stream, message);
    });
    server.onStream = (stream, path) => {
      if (!isOf(path, 'Watch')) return;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(Buffer.from([0, 0, 0, 0, 1, 42]));
    };
    opened = openTransport({ servers: [await server.listen()] });
  });
  after(() => {
    process.off('warning', onWarning);
    opened.close();
    server.close();
  });
  const call = () => opened.call({ path: '/test.Service/Method', message: Buffer.from('x'), timeout: 2_000 });
  const watch = (onMessage: () => void, onEnd: (cause: Error) => void) =>
    opened.stream({ path: '/test.Service/Watch', metadata: {}, timeout: 2_000 }, { onMessage, onEnd });

  it('end only their stream when they throw', async () => {
    const lives: string[] = [];
    const other = await watch(
      () => lives.push('message'),
      () => lives.push('end'),
    );
    const ended = Promise.withResolvers<Error>();
    await watch(() => {
      throw new Error('cannot take it');
    }, ended.resolve);
    assert.equal((await ended.promise).message, 'cannot take it');
    assert.equal(String(await call()), 'x');
    assert.deepEqual(lives, ['message']);
    other.cancel();
  });

  it('are reported when the last of them throws', async () => {
    await watch(
      () => {
        throw new Error('first');
      },
      () => {
        throw new Error('cannot even end');
      },
    );
    await until(() => warnings.length > 0);
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['cannot even end'],
    );
    assert.equal(String(await call()), 'x');
  });
});

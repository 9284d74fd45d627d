import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once, type EventEmitter } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { putRequest } from '@apichain/etcd-api';
import { KVService, TxnResponse } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '../embedded-etcd.ts';

describe('a call of the embedded etcd with one request and one response', () => {
  let etcd: EmbeddedEtcd;
  let session: ClientHttp2Session;
  before(async () => {
    etcd = await startEmbeddedEtcd({ memory: true, listen: { host: '127.0.0.1', port: 0 } });
    session = connect(etcd.url);
  });
  after(async () => {
    session.destroy();
    await etcd.close();
  });

  const message = (bytes: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };
  const empty = { compare: [], success: [], failure: [] };
  const txn = message(KVService.txn.requestSerialize(empty));

  const call = (body: Buffer): Promise<{ status: unknown; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': KVService.txn.path,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const pieces: Buffer[] = [];
      let status: unknown;
      const note = (headers: Record<string, unknown>) => {
        status ??= headers['grpc-status'];
      };
      stream.on('response', note);
      stream.on('trailers', note);
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('error', reject);
      stream.on('close', () => {
        resolve({ status, body: Buffer.concat(pieces) });
      });
      stream.end(body);
    });

  it('is answered', async () => {
    const { status, body } = await call(txn);
    assert.equal(status, '0');
    assert.equal(TxnResponse.decode(body.subarray(5)).succeeded, true);
  });

  it('releases its stream when it has ended', async () => {
    const streams: EventEmitter[] = [];
    const note = (message: unknown) => streams.push((message as { stream: EventEmitter }).stream);
    const closed: Promise<unknown>[] = [];
    subscribe('http2.server.stream.created', note);
    try {
      const sent = call(txn);
      while (streams.length === 0) await new Promise(setImmediate);
      closed.push(...streams.map((stream) => once(stream, 'close')));
      await sent;
    } finally {
      unsubscribe('http2.server.stream.created', note);
    }
    await Promise.all(closed);
    assert.deepEqual(
      streams.map((stream) => stream.eventNames()),
      [[]],
    );
  });

  it('is refused with no request and with two', async () => {
    assert.equal((await call(Buffer.alloc(0))).status, '12');
    assert.equal((await call(Buffer.concat([txn, txn]))).status, '12');
  });

  it('does not affect other calls when its client disconnects', async () => {
    const before = etcd.revision;
    const key = Buffer.from('gone');
    const put = putRequest({ key, value: key });
    const stream = session.request({
      ':method': 'POST',
      ':path': KVService.put.path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', () => undefined);
    stream.end(message(KVService.put.requestSerialize(put)));
    stream.once('finish', () => {
      setImmediate(() => {
        stream.close(8);
      });
    });
    await new Promise((resolve) => stream.once('close', resolve));
    // Whether the cancelled call had begun or not, the next call is answered normally.
    assert.equal((await call(txn)).status, '0');
    assert.ok(etcd.revision === before || etcd.revision === before + 1);
  });
});

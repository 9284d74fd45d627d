import assert from 'node:assert/strict';
import { TxnResponse, WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import { encoder } from './encoder.ts';

describe('the encoder of the embedded etcd', () => {
  const response = (succeeded: boolean): TxnResponse => ({ header: undefined, succeeded, responses: [] });

  it('writes what the generated code writes, message after message', () => {
    const encode = encoder(TxnResponse);
    const [first, second] = [encode(response(true)), encode(response(false))];
    assert.deepEqual(first, Buffer.from(TxnResponse.encode(response(true)).finish()));
    assert.deepEqual(second, Buffer.from(TxnResponse.encode(response(false)).finish()));
  });

  it('works after a message that could not be written', () => {
    const broken = { ...WatchResponse.decode(Buffer.of()), watchId: 1, compactRevision: NaN };
    assert.throws(() => encoder(WatchResponse)(broken));
    assert.deepEqual(encoder(TxnResponse)(response(true)), Buffer.from(TxnResponse.encode(response(true)).finish()));
  });
});

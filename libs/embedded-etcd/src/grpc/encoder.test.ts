import assert from 'node:assert/strict';
import { TxnResponse, WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import { encoder } from './encoder.ts';

describe('the encoder of the embedded etcd', () => {
  const answer = (succeeded: boolean): TxnResponse => ({ header: undefined, succeeded, responses: [] });

  it('writes what the generated code writes, message after message', () => {
    const encode = encoder(TxnResponse);
    const [first, second] = [encode(answer(true)), encode(answer(false))];
    assert.deepEqual(first, Buffer.from(TxnResponse.encode(answer(true)).finish()));
    assert.deepEqual(second, Buffer.from(TxnResponse.encode(answer(false)).finish()));
  });

  it('works after a message that could not be written', () => {
    const broken = { ...WatchResponse.decode(Buffer.of()), watchId: 1, compactRevision: NaN };
    assert.throws(() => encoder(WatchResponse)(broken));
    assert.deepEqual(encoder(TxnResponse)(answer(true)), Buffer.from(TxnResponse.encode(answer(true)).finish()));
  });
});

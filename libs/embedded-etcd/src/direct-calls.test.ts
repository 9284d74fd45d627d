import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  EtcdServerError,
  inProcessEtcd,
  type InProcessEtcd,
  putRequest,
  rangeRequest,
  requestOp,
  watchCreateRequest,
} from '@apichain/etcd-api';
import { KVService, WatchRequest, WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd, type EmbeddedEtcd } from './embedded-etcd.ts';
import { testClient } from './server.fixture.ts';

describe('an embedded etcd reached from its own process', () => {
  let etcd: EmbeddedEtcd;
  let direct: InProcessEtcd;
  beforeEach(async () => {
    etcd = await startEmbeddedEtcd({ memory: true, inProcess: true, maxRequestBytes: 1_000 });
    const found = inProcessEtcd(etcd.url);
    assert.ok(found !== undefined);
    direct = found;
  });
  afterEach(() => etcd.close());

  const put = async (key: string, value = key) => {
    const requestPut = putRequest({ key: Buffer.from(key), value: Buffer.from(value) });
    const request = { compare: [], success: [requestOp({ requestPut })], failure: [] };
    return KVService.txn.responseDeserialize(
      await direct.call(KVService.txn.path, KVService.txn.requestSerialize(request)),
    );
  };

  it('shares its data with other clients', async () => {
    await put('a');
    const client = testClient(etcd.url);
    assert.equal((await client.range({ key: Buffer.from('a') })).kvs[0]?.value.toString(), 'a');
    await client.put({ key: Buffer.from('b'), value: Buffer.from('2') });
    client.close();
    const request = KVService.range.requestSerialize(rangeRequest({ key: Buffer.from('b') }));
    const { kvs } = KVService.range.responseDeserialize(await direct.call(KVService.range.path, request));
    assert.equal(kvs[0]?.value.toString(), '2');
  });

  it('refuses requests that are too large, and unknown calls', async () => {
    const refusal = (text: RegExp) => (error: unknown) => error instanceof EtcdServerError && text.test(error.details);
    await assert.rejects(put('a', 'x'.repeat(1_000)), refusal(/request is too large/));
    await assert.rejects(direct.call('/etcdserverpb.Auth/AuthEnable', Buffer.of()), refusal(/not implemented/));
  });

  it('sends changes to watches unless they pause, and its shutdown', async () => {
    const seen: string[] = [];
    const watch = direct.openWatch({
      onMessage: (message) => {
        for (const { kv } of WatchResponse.decode(message).events) seen.push(String(kv?.key));
      },
      onEnd: () => seen.push('end'),
    });
    const createRequest = watchCreateRequest({ key: Buffer.from('a'), rangeEnd: Buffer.from('z') });
    watch.write(WatchRequest.encode({ createRequest }).finish());
    await put('a');
    await nextTurn();
    assert.deepEqual(seen, ['a']);
    watch.pause();
    for (let i = 0; i < 200; i++) await put('b');
    await nextTurn();
    assert.deepEqual(seen, ['a']);
    watch.resume();
    for (let i = 0; i < 5; i++) await nextTurn();
    assert.equal(seen.length, 201);
    await etcd.close();
    assert.equal(seen.at(-1), 'end');
    assert.equal(inProcessEtcd(etcd.url), undefined);
  });
});

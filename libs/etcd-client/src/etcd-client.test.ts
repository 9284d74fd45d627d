import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { prefixEnd } from '@apichain/etcd-api';
import type { WatchResponse } from '@apichain/etcd-api/etcdserverpb';
import { connectEtcd, supportsWatchProgress, type EtcdConnection } from './etcd-client.ts';
import { EtcdError, isUnreachable } from './etcd-error.ts';
import { putIfAbsent, putIfUnchanged } from './etcd-txn.ts';
import { watchEtcd } from './etcd-watch.ts';
import { etcdBinaries, startTestEtcd, type TestEtcd } from './etcd.fixture.ts';
import { createWatch } from './requests.ts';

const none = Buffer.alloc(0);
const mebibyte = 2 ** 20;

for (const [name, binary] of Object.entries(etcdBinaries())) {
  describe(`client of ${name}`, () => {
    let etcd: TestEtcd;
    let connection: EtcdConnection;
    const directory = Buffer.from('/client/');
    const keyOf = (number: number) => Buffer.from(`/client/${String(number)}`);
    const range = { key: directory, rangeEnd: prefixEnd(directory) };
    before(async () => {
      etcd = await startTestEtcd(binary);
      connection = connectEtcd({ servers: [etcd.url], prefix: '' });
    });
    after(async () => {
      await connection.close();
      await etcd.close();
    });

    describe('with eight MiB of values', () => {
      let first = 0;
      before(async () => {
        for (let i = 0; i < 8; i++) {
          const outcome = await putIfAbsent(connection, keyOf(i), Buffer.alloc(mebibyte, i), '0');
          assert.ok(outcome.succeeded);
          if (i === 0) first = outcome.revision;
        }
      });

      it('receives a response of any size', async () => {
        const { kvs } = await connection.range(range);
        assert.deepEqual(
          kvs.map(({ value }) => [value.length, value[0], value.at(-1)]),
          Array.from({ length: 8 }, (_, i) => [mebibyte, i, i]),
        );
      });

      it('receives a large history in fragments', async () => {
        const responses: WatchResponse[] = [];
        const complete = Promise.withResolvers<void>();
        const seen = () => responses.flatMap(({ events }) => events);
        const call = await connection.openWatch({
          onMessage: (response) => {
            responses.push(response);
            if (seen().length === 8) complete.resolve();
          },
          onEnd: complete.reject,
        });
        call.write(createWatch({ ...range, startRevision: first, prevKv: false }));
        await complete.promise;
        call.cancel();
        const withEvents = responses.filter(({ events }) => events.length > 0);
        assert.ok(withEvents.length > 1);
        assert.equal(withEvents.at(-1)?.fragment, false);
        assert.ok(withEvents.slice(0, -1).every(({ fragment }) => fragment));
      });

      it('receives every event in order, and progress on request', async () => {
        const revisions: number[] = [];
        const progress: number[] = [];
        const asked = Promise.withResolvers<void>();
        const watch = await watchEtcd(connection, {
          ...range,
          startRevision: first,
          prevKv: false,
          onEvents: (events) => {
            revisions.push(...events.map(({ kv }) => kv?.modRevision ?? 0));
            if (revisions.length === 8) watch.requestProgress();
          },
          onProgress: (revision) => {
            progress.push(revision);
            asked.resolve();
          },
        });
        await Promise.race([asked.promise, watch.ended]);
        watch.cancel();
        assert.deepEqual(
          revisions,
          Array.from({ length: 8 }, (_, i) => first + i),
        );
        assert.ok((progress[0] ?? 0) >= first + 7);
      });
    });

    it('loses and repeats no acknowledged write when etcd is killed', async () => {
      const counters = Array.from({ length: 8 }, (_, i) => Buffer.from(`/counter/${String(i)}`));
      const created: string[] = [];
      let working = true;
      let failures = 0;
      let number = 0;
      const outage = async (error: unknown) => {
        assert.ok(isUnreachable(error), String(error));
        failures++;
        await delay(20);
      };
      /** Writes a key once; a failed write is not repeated. */
      const create = async () => {
        const key = `/once/${String(number++)}`;
        const outcome = await putIfAbsent(connection, Buffer.from(key), none, '0');
        assert.ok(outcome.succeeded, `${key} was there before it was written`);
        created.push(key);
      };
      /** Increments a counter in a key that has no other writer. Returns the acknowledged and the unconfirmed attempts. */
      const count = async (key: Buffer) => {
        let acknowledged = 0;
        let unconfirmed = 0;
        let revision = 0;
        while (working) {
          try {
            await create();
            const outcome = await putIfUnchanged(connection, key, revision, none, '0');
            if (outcome.succeeded) {
              acknowledged++;
              revision = outcome.revision;
            } else revision = outcome.current?.modRevision ?? 0;
          } catch (error) {
            unconfirmed++;
            await outage(error);
          }
        }
        return { key, acknowledged, unconfirmed };
      };
      const counting = counters.map(count);
      for (let i = 0; i < 2; i++) {
        await delay(150);
        await etcd.kill();
        await etcd.start();
        const started = created.length;
        for (let attempt = 0; attempt < 500 && created.length === started; attempt++) await delay(10);
        assert.ok(created.length > started, 'an etcd that is back is used at once');
      }
      working = false;
      const results = await Promise.all(counting);

      assert.ok(failures > 0);
      const once = Buffer.from('/once/');
      const { kvs } = await connection.range({ key: once, rangeEnd: prefixEnd(once) });
      const versions = new Map(kvs.map((kv) => [String(kv.key), kv.version]));
      assert.deepEqual(
        created.filter((key) => versions.get(key) !== 1),
        [],
      );
      for (const { key, acknowledged, unconfirmed } of results) {
        const version = (await connection.readKey(key)).kv?.version ?? 0;
        assert.ok(
          version >= acknowledged && version <= acknowledged + unconfirmed,
          `${String(key)}: ${String(version)}`,
        );
      }
    });

    it('cancels a call at its deadline', async () => {
      const hasty = connectEtcd({ servers: [etcd.url], prefix: '', callTimeoutMs: 0.001 });
      if (binary === 'in process') await hasty.range({ key: directory });
      else
        await assert.rejects(
          hasty.range({ key: directory }),
          (error) => error instanceof EtcdError && isUnreachable(error),
        );
      await hasty.close();
    });
  });
}

describe('supportsWatchProgress', () => {
  it('is true from the first safe releases on', () => {
    for (const version of ['3.4.31', '3.5.13', '3.5.16', '3.6.0', '4.0.0'])
      assert.ok(supportsWatchProgress(version), version);
    for (const version of ['3.4.23', '3.5.12', '3.3.27', '2.3.8', 'x'])
      assert.ok(!supportsWatchProgress(version), version);
  });
});

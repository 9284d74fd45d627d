import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { connectEtcd } from '@apichain/etcd-client';
import { etcdBinaries, startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import { StatusError } from '@apichain/meta';
import { eventually } from '@apichain/meta/until.fixture';
import {
  configMap,
  describeEvent,
  listOptions,
  take,
  watchOptions,
  type TestStore,
} from '@apichain/storage/store.fixture';
import { testStore } from './store.fixture.ts';

const isOutage = (error: unknown) => {
  assert.ok(error instanceof StatusError, String(error));
  assert.equal(error.code, 503);
  assert.ok((error.status.details?.retryAfterSeconds ?? 0) > 0);
  return true;
};

for (const [name, binary] of Object.entries(etcdBinaries())) {
  describe(`store when ${name} fails`, () => {
    let etcd: TestEtcd;
    let test: TestStore;
    beforeEach(async () => {
      etcd = await startTestEtcd(binary);
      test = testStore(etcd.url);
    });
    afterEach(async () => {
      await test.close();
      await etcd.close();
    });

    it('returns 503 quickly, recovers by itself, and its watches go on without a gap', async () => {
      const created = await test.storage.create(test.key('a'), configMap('a'));
      const stream = await test.storage.watch(
        test.directory,
        watchOptions({ resourceVersion: String(created.revision) }),
      );
      const other = testStore(etcd.url, { prefix: test.connection.prefix });
      await etcd.kill();
      const started = Date.now();
      await assert.rejects(test.storage.list(test.directory, listOptions()), isOutage);
      await assert.rejects(test.storage.get(test.key('a'), { resourceVersion: '' }), isOutage);
      await assert.rejects(test.storage.create(test.key('x'), configMap('x')), isOutage);
      await assert.rejects(other.storage.list(test.directory, listOptions()), isOutage);
      assert.ok(Date.now() - started < 20_000);
      const cached = await test.storage.list(test.directory, listOptions({ resourceVersion: '0' }));
      assert.equal(cached.items.length, 1);

      await etcd.start();
      await other.storage.create(test.key('b'), configMap('b'));
      await other.storage.delete(test.key('a'), {});
      const events = await take(stream, 2, 5_000);
      assert.deepEqual(events.map(describeEvent), ['ADDED b', 'DELETED a']);
      assert.equal((await test.storage.list(test.directory, listOptions())).items.length, 1);
      stream.stop();
      await other.close();
    });

    it('ends watches with 410 when the history in between is gone', async () => {
      const created = await test.storage.create(test.key('a'), configMap('a'));
      const stream = await test.storage.watch(
        test.directory,
        watchOptions({ resourceVersion: String(created.revision) }),
      );
      await etcd.kill();
      await etcd.start({ wipe: true });
      const events = await take(stream, 1, 5_000);
      assert.deepEqual(events.map(describeEvent), ['ERROR 410']);
      assert.equal(await stream.next(), undefined);
      await delay(100);
      assert.equal((await test.storage.list(test.directory, listOptions())).items.length, 0);
      await test.storage.create(test.key('c'), configMap('c'));
      assert.equal((await test.storage.list(test.directory, listOptions())).items.length, 1);
    });

    it('uses another endpoint when one is down', async () => {
      const connection = connectEtcd({ servers: ['http://127.0.0.1:1', etcd.url], prefix: '/two' });
      for (let i = 0; i < 30; i++) await connection.currentRevision();
      await connection.close();
    });

    it('converges with any writers and failures', async () => {
      const writer = testStore(etcd.url, { prefix: test.connection.prefix });
      const start = await writer.storage.create(test.key('first'), configMap('first'));
      const stream = await test.storage.watch(
        test.directory,
        watchOptions({ resourceVersion: String(start.revision) }),
      );
      const seen = new Map([[start.key, start.revision]]);
      const follow = async () => {
        let last = start.revision;
        for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
          for (const { type, revision, object } of events) {
            assert.ok(revision > last, `${String(revision)} after ${String(last)}`);
            last = revision;
            if (type === 'DELETED') seen.delete(object?.key ?? '');
            else seen.set(object?.key ?? '', revision);
          }
        }
      };
      const following = follow();
      const change = async (i: number) => {
        const { storage } = i % 3 === 0 ? test : writer;
        const n = `n${String((i * 7) % 23)}`;
        if (i % 4 === 3) await storage.delete(test.key(n), {});
        else {
          const tryUpdate = () => ({ object: configMap(n, { i: String(i) }) });
          await storage.guaranteedUpdate(test.key(n), { ignoreNotFound: true, tryUpdate });
        }
      };
      const changes = Array.from({ length: 400 }, (_, i) => i);
      const work = async () => {
        for (let i = changes.shift(); i !== undefined; i = changes.shift()) {
          // Outages and deletions of missing objects are expected here.
          await change(i).catch(() => delay(20));
        }
      };
      const working = Promise.all([work(), work(), work(), work()]);
      await delay(100);
      await etcd.kill();
      await etcd.start();
      await working;
      const list = await test.storage.list(test.directory, listOptions());
      const sorted = () => [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1));
      const listed = list.items.map((item): [string, number] => [item.key, item.revision]);
      // The watch follows in its own time.
      await eventually(() => assert.deepEqual(sorted(), listed));
      stream.stop();
      await following;
      await writer.close();
    });
  });
}

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { StatusError } from '@apichain/meta';
import { etcdBinaries, startTestEtcd, type TestEtcd } from './test-etcd.ts';
import { configMap, describeEvent, listOptions, take, testStore, watchOptions, type TestStore } from './test-store.ts';

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

    it('answers 503 quickly, recovers by itself, and its watches go on without a gap', async () => {
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
      assert.ok(Date.now() - started < 3_000);
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
  });
}

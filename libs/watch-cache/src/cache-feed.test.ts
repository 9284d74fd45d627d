import assert from 'node:assert/strict';
import { describeEvent, take, watchOptions } from '@apichain/storage/store.fixture';
import { onEveryEtcd } from './store-suite.fixture.ts';

onEveryEtcd('a cache whose consumer throws', (store) => {
  it('is refilled, and its watches end with 410', async () => {
    let throws = false;
    const eventsReceived = () => {
      if (!throws) return;
      throws = false;
      throw new Error('cannot count');
    };
    await store.reopen({ metrics: { eventsReceived } });
    const [first] = await store.create('a');
    const start = watchOptions({ resourceVersion: String(first?.revision) });
    const stream = await store.storage.watch(store.directory, start);
    await store.create('b');
    assert.deepEqual((await take(stream, 1)).map(describeEvent), ['ADDED b']);
    throws = true;
    await store.create('c');
    assert.deepEqual((await take(stream, 1)).map(describeEvent), ['ERROR 410']);
    assert.deepEqual(await store.names(), ['a', 'b', 'c']);
    const [last] = await store.create('d');
    const next = await store.storage.watch(store.directory, watchOptions({ resourceVersion: String(last?.revision) }));
    await store.create('e');
    assert.deepEqual((await take(next, 1)).map(describeEvent), ['ADDED e']);
    next.stop();
  });
});

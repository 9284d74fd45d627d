import assert from 'node:assert/strict';
import { CacheEvent } from './cache-event.ts';
import { codec, configMap, watchOptions } from './store.fixture.ts';
import { EncodedObject } from './stored-object.ts';
import { defaultWatchQueueLimits, WatchQueue } from './watch-queue.ts';

const kiB = 1024;
const miB = 1024 * kiB;

function stored(name: string, revision: number, bytes: number): EncodedObject {
  const json = codec.present(configMap(name, { v: 'x'.repeat(bytes) }), revision);
  return new EncodedObject(codec, `/configmaps/default/${name}`, revision, json);
}

const objects = (count: number, bytes: number): EncodedObject[] =>
  Array.from({ length: count }, (_, i) => stored(`c${i}`, i + 1, bytes));

const change = (revision: number, object: EncodedObject, previous?: EncodedObject) =>
  new CacheEvent(object.key, revision, object, previous);

interface Opened {
  readonly queue: WatchQueue;
  readonly ends: boolean[];
}

/** A queue of a watch of everything; `ends` gets whether it ended because it was too slow. */
function open(limits = defaultWatchQueueLimits, startRevision = 1_000): Opened {
  const ends: boolean[] = [];
  const onEnd = (_queue: WatchQueue, tooSlow: boolean) => ends.push(tooSlow);
  return { ends, queue: new WatchQueue('/configmaps/', watchOptions({}), startRevision, onEnd, limits) };
}

async function batches(queue: WatchQueue, events: number): Promise<(readonly { readonly revision: number }[])[]> {
  const taken: (readonly { readonly revision: number }[])[] = [];
  for (let count = 0; count < events; count += taken.at(-1)?.length ?? 0) taken.push((await queue.next()) ?? []);
  return taken;
}

describe('WatchQueue', () => {
  it('gives large initial objects one by one', async () => {
    const { queue } = open();
    queue.start(objects(5, 300 * kiB), true);
    assert.deepEqual(
      (await batches(queue, 6)).map(({ length }) => length),
      [1, 1, 1, 1, 1, 1],
    );
  });
  it('gives initial objects in chunks of at most 256 KiB', async () => {
    const { queue } = open();
    queue.start(objects(40, 50 * kiB), false);
    for (const batch of await batches(queue, 40)) assert.ok(batch.length <= 5, `${batch.length} objects`);
  });
  it('gives queued events in chunks of at most 256 KiB', async () => {
    const { queue } = open();
    for (const [i, object] of objects(20, 100 * kiB).entries()) queue.offer(change(1_001 + i, object));
    const taken = await batches(queue, 20);
    for (const batch of taken) assert.ok(batch.length <= 2, `${batch.length} events`);
    assert.deepEqual(
      taken.flat().map(({ revision }) => revision),
      Array.from({ length: 20 }, (_, i) => i + 1_001),
    );
  });
  it('ends for a consumer that leaves too many bytes', async () => {
    const { queue, ends } = open({ ...defaultWatchQueueLimits, hardBytes: 4 * miB });
    queue.start(objects(3, 300 * kiB), false);
    for (let i = 0; i < 5; i++) queue.offer(change(1_001 + i, stored('x', 1_001 + i, miB)));
    assert.deepEqual(ends, [true]);
    assert.equal(await queue.next(), undefined);
  });
  it('counts the states that queued events keep', () => {
    const { queue, ends } = open({ ...defaultWatchQueueLimits, hardBytes: 4 * miB });
    let before = stored('x', 1, miB);
    for (let i = 0; i < 3; i++) {
      const after = stored('x', 1_001 + i, miB);
      queue.offer(change(1_001 + i, after, before));
      before = after;
    }
    assert.deepEqual(ends, [true]);
  });
  it('ends for a consumer that leaves many bytes for long, also if no more events come', () => {
    const { queue, ends } = open({ ...defaultWatchQueueLimits, softBytes: miB, patienceMs: -1 });
    queue.offer(change(1_001, stored('x', 1_001, 2 * miB)));
    assert.deepEqual(ends, []);
    queue.offerBookmark(1_001, performance.now());
    assert.deepEqual(ends, [true]);
  });
  it('goes on for a consumer that reads, however many bytes come', async () => {
    const { queue, ends } = open({ ...defaultWatchQueueLimits, hardBytes: 2 * miB });
    for (let i = 0; i < 20; i++) {
      queue.offer(change(1_001 + i, stored('x', 1_001 + i, miB)));
      assert.equal((await queue.next())?.length, 1);
    }
    assert.deepEqual(ends, []);
  });
  it('does not count the history with which a client resumes', async () => {
    const { queue, ends } = open({ ...defaultWatchQueueLimits, hardBytes: miB });
    queue.resume(objects(5, miB).map((object, i) => change(1_001 + i, object)));
    queue.offer(change(1_006, stored('x', 1_006, 10)));
    assert.deepEqual(ends, []);
    assert.deepEqual(
      (await batches(queue, 6)).flat().map(({ revision }) => revision),
      [1_001, 1_002, 1_003, 1_004, 1_005, 1_006],
    );
  });
});

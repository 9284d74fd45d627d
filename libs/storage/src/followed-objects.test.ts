import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { FollowedObjects } from './followed-objects.ts';
import type { Storage, StoredObject, StorageWatchOptions, WatchEvent, WatchStream } from './storage.ts';

const unused = () => assert.fail('not for this test');

/** A store whose lists and watches are answered by the test. */
class ScriptedStorage implements Storage {
  objects = new Map<string, number>();
  /** The size of each listed object. */
  bytes = 2;
  revision = 1;
  failure: Error | undefined;
  watches = 0;
  #told: ((events: readonly WatchEvent[] | undefined) => void) | undefined;
  readonly create = unused;
  readonly get = unused;
  readonly guaranteedUpdate = unused;
  readonly delete = unused;
  readonly count = unused;
  readonly currentRevision = unused;
  readonly cachedCopy = unused;

  async list() {
    if (this.failure !== undefined) throw this.failure;
    return {
      items: [...this.objects].map(([key, revision]) => stored(key, revision, this.bytes)),
      revision: this.revision,
    };
  }

  async watch(_directory: string, _options: StorageWatchOptions): Promise<WatchStream> {
    this.watches++;
    return { next: () => new Promise((resolve) => (this.#told = resolve)), stop: () => undefined };
  }

  /** Sends events. Resolves when the follower waits for the next events. */
  async sendEvents(...events: readonly (readonly [WatchEvent['type'], string, number])[]): Promise<void> {
    const told = this.#told;
    assert.ok(told !== undefined);
    this.#told = undefined;
    told(events.map(([type, key, revision]) => ({ type, object: stored(key, revision), revision, frames: new Map() })));
    await delay(1);
  }

  async end(): Promise<void> {
    this.#told?.(undefined);
    await delay(1);
  }

  async close() {}
}

function stored(key: string, revision: number, bytes = 2): StoredObject {
  const name = key.slice(1);
  return {
    key,
    revision,
    json: Buffer.alloc(bytes, '{}'),
    attributes: { name, namespace: '', labels: {}, fields: {} },
    parse: () => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name, resourceVersion: String(revision) } }),
    shapes: new Map(),
  };
}

describe('followed objects', () => {
  let storage: ScriptedStorage;
  let followed: FollowedObjects;
  let told: Map<string, number>;
  let changes: number;
  /** What the test does with every report. */
  let onReport: () => void;
  let ended: AbortController;
  beforeEach(async () => {
    storage = new ScriptedStorage();
    told = new Map();
    changes = 0;
    onReport = () => undefined;
    ended = new AbortController();
    followed = new FollowedObjects({
      store: { storage, prefix: '/things' },
      onChange: ({ put, dropped }) => {
        changes++;
        onReport();
        for (const { key, revision } of put) told.set(key, revision);
        for (const name of dropped) told.delete(`/things/${name}`);
      },
    });
    storage.objects.set('/things/a', 1);
    void followed.run(ended.signal);
    await followed.waitForSync();
    await delay(1);
  });
  afterEach(() => ended.abort());

  it('are those of the list with the changes of the watch', async () => {
    assert.deepEqual([...told], [['/things/a', 1]]);
    await storage.sendEvents(['ADDED', '/things/b', 2], ['MODIFIED', '/things/a', 3], ['DELETED', '/things/b', 4]);
    assert.deepEqual([...told], [['/things/a', 3]]);
  });

  it('are refreshed before the watch events, and older events do not revert them', async () => {
    storage.objects = new Map([['/things/b', 5]]);
    storage.revision = 5;
    assert.equal(await followed.refresh(), true);
    assert.deepEqual([...told], [['/things/b', 5]]);
    assert.equal(await followed.refresh(), false);
    const before = changes;
    await storage.sendEvents(['MODIFIED', '/things/a', 3], ['DELETED', '/things/a', 4]);
    assert.equal(changes, before);
    await storage.sendEvents(['ADDED', '/things/b', 5], ['ADDED', '/things/c', 6]);
    assert.deepEqual([...told.keys()].sort(), ['/things/b', '/things/c']);
  });

  it('are those of a store that was restored, although its revisions are lower', async () => {
    await storage.sendEvents(['ADDED', '/things/late', 9]);
    storage.objects = new Map([['/things/first', 1]]);
    storage.revision = 2;
    await storage.end();
    for (let i = 0; i < 1_000 && storage.watches < 2; i++) await delay(10);
    assert.deepEqual([...told], [['/things/first', 1]]);
  });

  it('are not reverted by a list that is older than the watch', async () => {
    await storage.sendEvents(['ADDED', '/things/b', 7]);
    storage.revision = 6;
    assert.equal(await followed.refresh(), false);
    assert.deepEqual([...told.keys()], ['/things/a', '/things/b']);
  });

  it('are listed again after the watch ends', async () => {
    storage.objects = new Map();
    storage.revision = 9;
    await storage.end();
    for (let i = 0; i < 100 && storage.watches < 2; i++) await delay(10);
    assert.equal(storage.watches, 2);
    assert.equal(told.size, 0);
  });

  it('reject a refresh as a list does, and keep their state', async () => {
    storage.failure = new Error('etcd is away');
    await assert.rejects(followed.refresh(), /etcd is away/);
    assert.deepEqual([...told], [['/things/a', 1]]);
  });

  it('are reported in parts between which others are served, and events only after the list that came before', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `/things/${i}`);
    storage.objects = new Map(names.map((name) => [name, 5]));
    storage.bytes = 10_000;
    storage.revision = 5;
    const before = changes;
    let events: Promise<void> | undefined;
    let turns = 0;
    onReport = () => {
      // Each part takes longer than a turn of the event loop may.
      const end = performance.now() + 25;
      while (performance.now() < end);
      if (events === undefined) setImmediate(() => turns++);
      events ??= storage.sendEvents(['MODIFIED', '/things/199', 6], ['DELETED', '/things/198', 7]);
    };
    assert.equal(await followed.refresh(), true);
    assert(changes - before > 30, `${changes - before} parts`);
    assert.equal(turns, 1);
    onReport = () => undefined;
    await events;
    for (let i = 0; i < 1_000 && told.get('/things/199') !== 6; i++) await delay(10);
    assert.deepEqual([told.get('/things/199'), told.has('/things/198'), told.size], [6, false, 199]);
  });
});

import assert from 'node:assert/strict';
import { ApiError } from '../api/api.ts';
import type { JoinedEvent } from '../api/watch.ts';
import { Following, type ListPage, type Reader } from './following.ts';
import { LiveObjects, type ShownResource } from './live-objects.ts';
import type { StoredObject } from '../api/stored-object.ts';

type Events = readonly JoinedEvent<StoredObject>[];

const pod = (name: string, resourceVersion: string): StoredObject => ({ metadata: { name, resourceVersion } });
const page = (resourceVersion: string, ...items: readonly StoredObject[]): ListPage => ({
  metadata: { resourceVersion },
  items,
});

/** A server whose responses a test gives: lists from functions, watches from queues. */
class FakeServer implements Reader {
  /** The lists and watches that were asked for. */
  readonly asked: string[] = [];
  lists: (path: string) => ListPage = () => page('1');
  #watches: ((events: Events | Error) => void)[] = [];
  #arrived = Promise.withResolvers<void>();

  list(path: string): Promise<ListPage> {
    this.asked.push(path);
    return Promise.resolve().then(() => this.lists(path));
  }

  async *watch(paths: readonly string[], signal: AbortSignal): AsyncGenerator<Events> {
    this.asked.push(...paths);
    const queue: (Events | Error)[] = [];
    let wake = Promise.withResolvers<void>();
    this.#watches.push((events) => {
      queue.push(events);
      wake.resolve();
    });
    signal.addEventListener('abort', () => wake.resolve());
    this.#arrived.resolve();
    yield [];
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers();
      for (const events of queue.splice(0)) {
        if (events instanceof Error) throw events;
        yield events;
      }
    }
    throw new Error('aborted');
  }

  /** Sends to the newest watch, when there is one that was opened after the last call. */
  async send(...events: Events): Promise<void> {
    (await this.#newest())(events);
  }

  async breaks(error: Error): Promise<void> {
    (await this.#newest())(error);
    this.#arrived = Promise.withResolvers();
  }

  /** The next call of `send` waits for another watch. */
  async ends(...events: Events): Promise<void> {
    await this.send(...events);
    this.#arrived = Promise.withResolvers();
  }

  async #newest() {
    await this.#arrived.promise;
    const newest = this.#watches.at(-1);
    assert.ok(newest);
    return newest;
  }
}

describe('following', () => {
  let server: FakeServer;
  let objects: LiveObjects;
  let stop: AbortController;
  let following: Following<ShownResource>;
  let running: Promise<void>;
  let changed: () => void;

  const start = (...resources: readonly ShownResource[]) => {
    const sources = resources.map((id) => ({ id, path: `/${id}`, shelf: objects.shelves[id] }));
    following = new Following(sources, server, () => changed(), { retryMs: 1, pageSize: 2 });
    running = following.run(stop.signal);
  };
  const names = () => [...objects.pods.items.keys()];
  const states = (...ids: readonly ShownResource[]) => ids.map((id) => following.stateOf(id).state);

  /** Resolves when something has changed and the condition holds. */
  async function until(condition: () => boolean): Promise<void> {
    while (!condition())
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
  }

  beforeEach(() => {
    server = new FakeServer();
    objects = new LiveObjects();
    stop = new AbortController();
    changed = () => undefined;
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  it('lists page by page, watches, and folds the events', async () => {
    server.lists = (path) =>
      path.includes('continue=next%20one')
        ? page('9', pod('c', '3'))
        : { metadata: { resourceVersion: '7', continue: 'next one' }, items: [pod('a', '1'), pod('b', '2')] };
    start('pods');
    await server.send(
      { watch: 0, event: { type: 'ADDED', object: pod('d', '8') } },
      { watch: 0, event: { type: 'DELETED', object: pod('a', '9') } },
      { watch: 0, event: { type: 'BOOKMARK', object: pod('', '12') } },
    );
    await until(() => names().includes('/d'));
    assert.deepEqual(names(), ['/b', '/c', '/d']);
    assert.deepEqual(server.asked, [
      '/pods?limit=2',
      '/pods?limit=2&continue=next%20one',
      '/pods?watch=1&allowWatchBookmarks=true&resourceVersion=7',
    ]);
    assert.deepEqual(states('pods'), ['live']);
  });

  it('begins with the state of a moment before, and with that of now where the server no longer has it', async () => {
    const sources = (['pods', 'nodes'] as const).map((id) => ({
      ...{ id, path: `/${id}`, shelf: objects.shelves[id], since: '5' },
    }));
    server.lists = (path) => {
      if (path.startsWith('/nodes') && path.includes('Exact')) throw new ApiError(410, 'compacted');
      if (path.startsWith('/nodes')) return page('20');
      return path.includes('continue=')
        ? page('5', pod('b', '2'))
        : { metadata: { resourceVersion: '5', continue: 'c' }, items: [pod('a', '1')] };
    };
    following = new Following(sources, server, () => changed(), { retryMs: 1, pageSize: 2 });
    running = following.run(stop.signal);
    await server.send({ watch: 0, event: { type: 'ADDED', object: pod('c', '6') } });
    await until(() => names().includes('/c'));
    assert.deepEqual([...server.asked].sort(), [
      '/nodes?limit=2',
      '/nodes?limit=2&resourceVersion=5&resourceVersionMatch=Exact',
      '/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=20',
      '/pods?limit=2&continue=c',
      '/pods?limit=2&resourceVersion=5&resourceVersionMatch=Exact',
      '/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5',
    ]);
  });

  it('goes on where it was when a watch ends, or the connection breaks', async () => {
    start('pods', 'nodes');
    await server.ends(
      { watch: 0, event: { type: 'ADDED', object: pod('a', '5') } },
      { watch: 1, event: { type: 'BOOKMARK', object: pod('', '6') } },
      { watch: 1, end: { code: 200 } },
    );
    await server.breaks(new TypeError('network error'));
    await until(() => states('pods')[0] === 'reconnecting');
    assert.equal(following.stateOf('nodes').error, 'network error');
    await server.send({ watch: 0, event: { type: 'ADDED', object: pod('b', '7') } });
    await until(() => names().includes('/b'));
    assert.deepEqual(states('pods', 'nodes'), ['live', 'live']);
    const again = [
      '/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5',
      '/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=6',
    ];
    assert.deepEqual(server.asked.slice(4), [...again, ...again]);
  });

  it('begins with a new list when a watch is too old', async () => {
    server.lists = () => page('1', pod('old', '1'));
    start('pods', 'events');
    for (const gone of [
      { watch: 0, event: { type: 'ERROR', object: { code: 410, message: 'too old', metadata: { name: '' } } } },
      { watch: 0, end: { code: 410, message: '{"message":"too old"}' } },
    ] as const) {
      await until(() => names().length === 1);
      const before = server.asked.length;
      server.lists = (path) => (path.startsWith('/pods') ? page('20', pod(`new-${before}`, '20')) : page('1'));
      await server.ends(gone);
      await until(() => names().includes(`/new-${before}`));
      assert.deepEqual(names(), [`/new-${before}`]);
      await until(() => states('pods')[0] === 'live');
      const listed = server.asked.slice(before).filter((path) => !path.includes('watch='));
      assert.deepEqual(listed, ['/pods?limit=2']);
    }
  });

  it('shows what it may list when the server refuses the rest, and asks again only when it is run again', async () => {
    server.lists = (path) => {
      if (path.startsWith('/nodes')) throw new ApiError(403, 'nodes is forbidden');
      return page('1', pod('a', '1'));
    };
    start('pods', 'nodes');
    await server.ends({ watch: 0, end: { code: 200 } });
    await server.send({ watch: 0, event: { type: 'ADDED', object: pod('b', '2') } });
    await until(() => names().includes('/b'));
    assert.deepEqual(states('pods', 'nodes'), ['live', 'refused']);
    assert.equal(following.stateOf('nodes').error, 'nodes is forbidden');
    assert.equal(server.asked.filter((path) => path.startsWith('/nodes')).length, 1);
    stop.abort();
    await running;
    stop = new AbortController();
    server.lists = () => page('1', pod('node', '1'));
    running = following.run(stop.signal);
    await until(() => states('nodes')[0] === 'live');
    assert.deepEqual([...objects.nodes.items.keys()], ['/node']);
  });

  it('drops what the user may no longer see', async () => {
    server.lists = () => page('1', pod('a', '1'));
    start('pods', 'nodes');
    const message = '{"kind":"Status","message":"pods is forbidden"}';
    await server.ends({ watch: 0, end: { code: 403, message } });
    await until(() => states('pods')[0] === 'refused');
    assert.deepEqual([names(), objects.nodes.items.size], [[], 1]);
    assert.equal(following.stateOf('pods').error, 'pods is forbidden');
  });

  it('ends when everything is refused', async () => {
    server.lists = () => {
      throw new ApiError(403, 'forbidden');
    };
    start('pods', 'nodes');
    await running;
    assert.deepEqual(states('pods', 'nodes'), ['refused', 'refused']);
  });

  it('lists again what could not be listed, while it follows the rest', async () => {
    let failures = 2;
    server.lists = (path) => {
      if (path.startsWith('/nodes') && failures-- > 0) throw new ApiError(500, 'etcd is away');
      return page('1', pod('a', '1'));
    };
    start('pods', 'nodes');
    await until(() => objects.nodes.items.size === 1);
    await until(() => states('pods', 'nodes').every((state) => state === 'live'));
  });
});

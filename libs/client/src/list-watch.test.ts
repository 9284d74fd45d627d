import assert from 'node:assert/strict';
import { isHistoryLost, isStatusError, ReconnectBackoff, reflect, type KubeObject } from '@apichain/meta';
import { ListWatch, type ListWatchEvent, type ListWatchOptions } from './list-watch.ts';
import { RestClient } from './rest-client.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

const resource = { group: '', version: 'v1', resource: 'pods' };

const pod = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', resourceVersion },
});

/** Answers each request with the next entry; for an Error, the request fails. Aborts when there is none. */
class ScriptedTransport implements Transport {
  readonly paths: string[] = [];
  readonly end = new AbortController();
  readonly #answers: (object | Error)[];
  constructor(...answers: (object | Error)[]) {
    this.#answers = answers;
  }
  async send({ path }: TransportRequest): Promise<TransportResponse> {
    this.paths.push(path);
    const next = this.#answers.shift();
    if (next === undefined) this.end.abort();
    if (next === undefined || next instanceof Error) throw next ?? this.end.signal.reason;
    const lines = Array.isArray(next) ? next : [next];
    async function* body() {
      for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
    }
    return { status: 200, headers: {}, body: Object.assign(body(), { dump: async () => {} }) };
  }
  async close(): Promise<void> {}
}

const list = (items: KubeObject[], resourceVersion: string, next?: string) => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion, continue: next },
  items,
});
const expired = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Expired', code: 410 };

const follow = (...answers: (object | Error)[]) => following({}, ...answers);

/** Follows the resource until there are no more answers. */
async function following(options: Partial<ListWatchOptions>, ...answers: (object | Error)[]) {
  const transport = new ScriptedTransport(...answers);
  const { signal } = transport.end;
  const errors: unknown[] = [];
  const slept: number[] = [];
  const states: string[] = [];
  const told: string[] = [];
  const take = (event: ListWatchEvent, resourceVersion?: string) => {
    const objects = event.type === 'InitPage' ? event.objects : 'object' in event ? [event.object] : [];
    told.push([event.type, ...objects.map(({ metadata }) => metadata.name), resourceVersion ?? []].flat().join(' '));
  };
  const consumer = { take, permit: () => undefined };
  const listWatch = new ListWatch({ client: new RestClient(transport), resource, ...options }, consumer, signal);
  await reflect(
    {
      list: () => listWatch.list(),
      watch: () => listWatch.watch(),
      onFailure: (error) => errors.push(error),
      onState: (state) => states.push(state.phase === 'Backoff' ? state.end.reason : state.phase),
      backoff: new ReconnectBackoff({ random: () => 0 }),
      sleep: async (milliseconds) => void slept.push(milliseconds),
    },
    signal,
  );
  return { paths: transport.paths, states: states.join(' '), told, errors, slept };
}

describe('ListWatch', () => {
  it('lists page by page and then watches from the revision of the list', async () => {
    const { paths, states, told } = await follow(list([pod('a', '3')], '5', 'more'), list([pod('b', '4')], '5'), [
      { type: 'ADDED', object: pod('c', '6') },
      { type: 'BOOKMARK', object: pod('', '7') },
      { type: 'DELETED', object: pod('a', '8') },
    ]);
    assert.equal(states, 'Listing Watching WatchEnded Watching');
    assert.deepEqual(told.splice(0, 4), ['Init', 'InitPage a', 'InitPage b', 'InitDone 5']);
    assert.deepEqual(told, ['Apply c 6', 'Bookmark  7', 'Delete a 8']);
    assert.match(paths[1] ?? '', /continue=more/);
    assert.match(paths[2] ?? '', /resourceVersion=5&allowWatchBookmarks=true&watch=true/);
  });

  it('begins with a small page, and asks for pages of about 8 MiB', async () => {
    const large = { ...pod('large', '1'), padding: 'x'.repeat(1024 * 1024) };
    const small = Array.from({ length: 20 }, (_, i) => pod(`small-${i}`, '1'));
    const { paths, told } = await follow(list([large, large], '5', 'a'), list(small, '5', 'b'), list([], '5'));
    assert.equal(told.at(-1), 'InitDone 5');
    const limits = paths.slice(0, 3).map((path) => /limit=(\d+)/.exec(path)?.[1]);
    assert.deepEqual(limits, ['20', '7', '500']);
  });

  it('resumes a watch that ended or broke from the last revision that it told', async () => {
    const bookmark = { type: 'BOOKMARK', object: pod('', '7') };
    const { paths, states, errors, slept } = await follow(list([], '5'), [bookmark], new Error('reset'), []);
    assert.equal(states, 'Listing Watching WatchEnded Watching WatchFailed Watching WatchEnded Watching');
    assert.equal(errors.length, 1);
    assert.deepEqual(slept, [100, 200, 400]);
    for (const path of paths.slice(2)) assert.match(path, /resourceVersion=7&/);
  });

  it('begins anew when the server forgot the revision', async () => {
    const { states, told } = await follow(list([], '5'), [{ type: 'ERROR', object: expired }], list([], '9'));
    assert.equal(states, 'Listing Watching HistoryLost Listing Watching');
    assert.equal(told.filter((event) => event === 'Init').length, 2);
  });

  const streams = { streamsInitialState: true };
  const bookmark = (resourceVersion: string, isEnd: boolean) => {
    const object = pod('', resourceVersion);
    const annotations = isEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
    return { type: 'BOOKMARK', object: { ...object, metadata: { ...object.metadata, annotations } } };
  };

  it('takes the objects from the watch itself if asked to, and goes on with it', async () => {
    const { paths, states, told } = await following(streams, [
      { type: 'ADDED', object: pod('a', '3') },
      bookmark('4', false),
      { type: 'ADDED', object: pod('b', '4') },
      { type: 'DELETED', object: pod('a', '5') },
      bookmark('5', true),
      { type: 'MODIFIED', object: pod('b', '6') },
    ]);
    assert.equal(states, 'Listing Watching WatchEnded Watching');
    assert.deepEqual(told.splice(0, 5), ['Init', 'InitPage a', 'InitPage b', 'Delete a', 'InitDone 5']);
    assert.deepEqual(told, ['Apply b 6']);
    assert.equal(
      paths[0],
      '/api/v1/pods?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&watch=true',
    );
    assert.match(paths[1] ?? '', /resourceVersion=6&/);
  });

  it('lists when a server refuses to stream the objects', async () => {
    const refused = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Invalid', code: 422 };
    const { states, told, errors } = await following(
      streams,
      [{ type: 'ERROR', object: refused }],
      list([pod('a', '3')], '5'),
    );
    assert.equal(states, 'Listing Watching');
    assert.deepEqual(told, ['Init', 'InitPage a', 'InitDone 5']);
    assert.deepEqual(errors, []);
  });

  it('begins anew when the watch ends or fails before it has sent all objects', async () => {
    const added = { type: 'ADDED', object: pod('a', '3') };
    const { states, errors } = await following(streams, [added], new Error('reset'), [added, bookmark('5', true)]);
    assert.equal(states, 'Listing ListFailed Listing ListFailed Listing Watching WatchEnded Watching');
    assert.deepEqual(errors.map(isHistoryLost), [true, false]);
  });

  it('begins a list anew when one of its pages fails, and tells the failure', async () => {
    const { states, errors, told } = await follow(
      list([pod('a', '3')], '5', 'more'),
      new Error('reset'),
      list([], '6'),
    );
    assert.equal(states, 'Listing ListFailed Listing Watching');
    assert.equal(errors.length, 1);
    assert.ok(!isStatusError(errors[0]));
    assert.deepEqual(told, ['Init', 'InitPage a', 'Init', 'InitPage', 'InitDone 6']);
  });
});

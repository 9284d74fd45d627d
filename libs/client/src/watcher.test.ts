import assert from 'node:assert/strict';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { ReconnectBackoff } from './reconnect-backoff.ts';
import { RestClient } from './rest-client.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { Watcher, type WatcherEvent, type WatcherOptions, type WatcherState } from './watcher.ts';

const resource = { group: '', version: 'v1', resource: 'pods' };

const pod = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', resourceVersion },
});

/** Answers each request with the next entry; for an Error, the request fails. */
class ScriptedTransport implements Transport {
  readonly paths: string[] = [];
  readonly #answers: (object | Error)[];
  constructor(...answers: (object | Error)[]) {
    this.#answers = answers;
  }
  async send({ path }: TransportRequest): Promise<TransportResponse> {
    this.paths.push(path);
    const next = this.#answers.shift();
    assert.ok(next !== undefined, `no further request expected: ${path}`);
    if (next instanceof Error) throw next;
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

function following(options: Partial<WatcherOptions>, ...answers: (object | Error)[]) {
  const transport = new ScriptedTransport(...answers);
  const errors: unknown[] = [];
  const slept: number[] = [];
  const watcher = new Watcher(
    {
      client: new RestClient(transport),
      resource,
      ...options,
      onError: (error) => errors.push(error),
      backoff: new ReconnectBackoff(() => 0),
      sleep: async (milliseconds) => void slept.push(milliseconds),
    },
    new AbortController().signal,
  );
  const told: string[] = [];
  const tell = (event: WatcherEvent | undefined) => {
    if (event === undefined) return;
    const objects = event.type === 'InitPage' ? event.objects : 'object' in event ? [event.object] : [];
    told.push([event.type, ...objects.map(({ metadata }) => metadata.name)].join(' '));
  };
  /** Runs this many steps and returns the resulting phases. */
  let state: WatcherState = { phase: 'Empty' };
  const steps = async (count: number): Promise<string> => {
    const phases: string[] = [];
    for (let i = 0; i < count; i++) {
      try {
        const step = await watcher.step(state);
        tell(step.event);
        state = step.state;
      } catch (error) {
        state = await watcher.afterFailure(state, error);
      }
      phases.push(state.phase);
    }
    return phases.join(' ');
  };
  return { transport, steps, told, errors, slept };
}

describe('Watcher', () => {
  it('lists page by page and then watches from the revision of the list', async () => {
    const { transport, steps, told } = follow(list([pod('a', '3')], '5', 'more'), list([pod('b', '4')], '5'), [
      { type: 'ADDED', object: pod('c', '6') },
      { type: 'BOOKMARK', object: pod('', '7') },
      { type: 'DELETED', object: pod('a', '8') },
    ]);
    assert.equal(await steps(4), 'InitPage InitPage InitListed Watching');
    assert.deepEqual(told.splice(0), ['Init', 'InitPage a', 'InitPage b', 'InitDone']);
    assert.match(transport.paths[1] ?? '', /continue=more/);
    assert.equal(await steps(4), 'Watching Watching Watching Backoff');
    assert.deepEqual(told, ['Apply c', 'Delete a']);
    assert.match(transport.paths[2] ?? '', /resourceVersion=5&allowWatchBookmarks=true&watch=true/);
  });

  it('begins with a small page, and asks for pages of about 8 MiB', async () => {
    const large = { ...pod('large', '1'), padding: 'x'.repeat(1024 * 1024) };
    const small = Array.from({ length: 20 }, (_, i) => pod(`small-${i}`, '1'));
    const { transport, steps } = follow(list([large, large], '5', 'a'), list(small, '5', 'b'), list([], '5'));
    assert.equal(await steps(4), 'InitPage InitPage InitPage InitListed');
    const limits = transport.paths.map((path) => /limit=(\d+)/.exec(path)?.[1]);
    assert.deepEqual(limits, ['20', '7', '500']);
  });

  it('resumes a watch that ended or broke from the last revision that it told', async () => {
    const bookmark = { type: 'BOOKMARK', object: pod('', '7') };
    const { transport, steps, errors, slept } = follow(list([], '5'), [bookmark], new Error('reset'), []);
    assert.equal(await steps(6), 'InitPage InitListed Watching Watching Backoff Watching');
    assert.equal(await steps(3), 'Backoff Watching Backoff');
    assert.equal(errors.length, 1);
    assert.deepEqual(slept, [100, 200]);
    assert.match(transport.paths[2] ?? '', /resourceVersion=7&/);
    assert.match(transport.paths[3] ?? '', /resourceVersion=7&/);
  });

  it('begins anew when the server forgot the revision, which is no error', async () => {
    const { steps, errors, told } = follow(list([], '5'), [{ type: 'ERROR', object: expired }], list([], '9'));
    assert.equal(await steps(7), 'InitPage InitListed Watching Backoff Empty InitPage InitListed');
    assert.deepEqual(errors, []);
    assert.equal(told.filter((event) => event === 'Init').length, 2);
  });

  const streams = { streamsInitialState: true };
  const bookmark = (resourceVersion: string, isEnd: boolean) => {
    const object = pod('', resourceVersion);
    const annotations = isEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
    return { type: 'BOOKMARK', object: { ...object, metadata: { ...object.metadata, annotations } } };
  };

  it('takes the objects from the watch itself if asked to, and goes on with it', async () => {
    const { transport, steps, told } = following(streams, [
      { type: 'ADDED', object: pod('a', '3') },
      bookmark('4', false),
      { type: 'ADDED', object: pod('b', '4') },
      { type: 'DELETED', object: pod('a', '5') },
      bookmark('5', true),
      { type: 'MODIFIED', object: pod('b', '6') },
    ]);
    assert.equal(await steps(6), `${'InitialWatch '.repeat(5)}Watching`);
    assert.deepEqual(told.splice(0), ['Init', 'InitPage a', 'InitPage b', 'Delete a', 'InitDone']);
    assert.equal(await steps(2), 'Watching Backoff');
    assert.deepEqual(told, ['Apply b']);
    assert.deepEqual(transport.paths, [
      '/api/v1/pods?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&watch=true',
    ]);
  });

  it('lists when a server refuses to stream the objects', async () => {
    const refused = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Invalid', code: 422 };
    const { steps, told, errors } = following(
      streams,
      [{ type: 'ERROR', object: refused }],
      list([pod('a', '3')], '5'),
    );
    assert.equal(await steps(4), 'InitialWatch InitPage InitListed Watching');
    assert.deepEqual(told, ['Init', 'InitPage a', 'InitDone']);
    assert.deepEqual(errors, []);
  });

  it('begins anew when the watch ends or fails before it has sent all objects', async () => {
    const added = { type: 'ADDED', object: pod('a', '3') };
    const { steps, errors } = following(streams, [added], new Error('reset'), [added, bookmark('5', true)]);
    assert.equal(await steps(5), 'InitialWatch InitialWatch Backoff Empty InitialWatch');
    assert.equal(await steps(5), 'Backoff Empty InitialWatch InitialWatch Watching');
    assert.equal(errors.length, 1);
  });

  it('begins a list anew when one of its pages fails, and tells the failure', async () => {
    const { steps, errors, told } = follow(list([pod('a', '3')], '5', 'more'), new Error('reset'), list([], '6'));
    assert.equal(await steps(6), 'InitPage InitPage Backoff Empty InitPage InitListed');
    assert.equal(errors.length, 1);
    assert.ok(!isStatusError(errors[0]));
    assert.deepEqual(told, ['Init', 'InitPage a', 'Init', 'InitPage']);
  });
});

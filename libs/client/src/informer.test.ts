import assert from 'node:assert/strict';
import { ReconnectBackoff, type KubeObject } from '@apichain/meta';
import { byNamespace } from './informer-index.ts';
import { Informer } from './informer.ts';
import { RestClient } from './rest-client.ts';
import { SharedInformers } from './shared-informers.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };

function pod(name: string, resourceVersion: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', resourceVersion } };
}

/** Answers list requests with the entries of `lists` and watches with those of `watches`, in order; the last watch stays open. */
class FakeTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly lists: { items: KubeObject[]; resourceVersion: string }[];
  readonly watches: (string[] | Error | undefined)[];
  constructor(lists: FakeTransport['lists'], watches: FakeTransport['watches']) {
    this.lists = lists;
    this.watches = watches;
  }
  async send(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    if (!request.path.includes('watch=true')) {
      const list = this.lists.shift();
      assert.ok(list, 'no further list expected');
      const body = {
        apiVersion: 'v1',
        kind: 'PodList',
        metadata: { resourceVersion: list.resourceVersion },
        items: list.items,
      };
      return answer([JSON.stringify(body)]);
    }
    const lines = this.watches.shift();
    if (lines instanceof Error) throw lines;
    return answer(lines ?? [], lines === undefined ? request.signal : undefined);
  }
  async close(): Promise<void> {}
}

function answer(chunks: string[], openUntil?: AbortSignal): TransportResponse {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk);
    if (openUntil?.aborted === false)
      await new Promise((resolve) => openUntil.addEventListener('abort', resolve, { once: true }));
  }
  return { status: 200, headers: {}, body: Object.assign(body(), { dump: async () => {} }) };
}

const event = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(condition());
}

describe('Informer', () => {
  it('lists, follows events split over chunks, and resumes a lost watch where it was', async () => {
    const modified = event('MODIFIED', pod('a', '7'));
    const transport = new FakeTransport(
      [{ items: [pod('a', '5')], resourceVersion: '5' }],
      [
        [event('ADDED', pod('b', '6')), modified.slice(0, 10), modified.slice(10)],
        new Error('connection reset'),
        [event('DELETED', pod('b', '8'))],
      ],
    );
    const seen: string[] = [];
    const informer = new Informer({ client: new RestClient(transport), resource: pods })
      .addHandlers({
        onAdd: (object) => seen.push(`+${object.metadata.name}`),
        onUpdate: (object) => seen.push(`~${object.metadata.name}`),
        onDelete: (object) => seen.push(`-${object.metadata.name}`),
      })
      .start();
    await until(() => seen.includes('-b'));
    await informer.stop();
    assert.deepEqual(seen, ['+a', '+b', '~a', '-b']);
    assert.deepEqual(
      informer.list().map((object) => object.metadata.resourceVersion),
      ['7'],
    );
    const watches = transport.requests.filter((request) => request.path.includes('watch=true'));
    assert.match(watches[1]?.path ?? '', /resourceVersion=7/);
  });

  it('pauses between watches that the server ends as soon as they begin, events or not', async () => {
    const bookmark = event('BOOKMARK', pod('', '6'));
    const watches = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? [] : [bookmark]));
    const transport = new FakeTransport([{ items: [], resourceVersion: '5' }], watches);
    const slept: number[] = [];
    const informer = new Informer({
      client: new RestClient(transport),
      resource: pods,
      backoff: new ReconnectBackoff({ random: () => 0 }),
      sleep: async (milliseconds) => void slept.push(milliseconds),
    }).start();
    await until(() => transport.requests.length === 10);
    assert.deepEqual(slept, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000]);
    await informer.stop();
  });

  it('hands handlers what the transform left of an object, deleted ones too', async () => {
    const transport = new FakeTransport(
      [{ items: [pod('a', '5')], resourceVersion: '5' }],
      [[event('DELETED', pod('a', '6'))]],
    );
    const deleted: KubeObject[] = [];
    const transform = ({ metadata }: KubeObject) => ({ apiVersion: '', kind: 'Kept', metadata });
    const informer = new Informer({ client: new RestClient(transport), resource: pods, transform })
      .addHandlers({ onDelete: (object) => deleted.push(object) })
      .start();
    await until(() => deleted.length === 1);
    await informer.stop();
    assert.equal(deleted[0]?.kind, 'Kept');
  });

  it('reports updates of objects whose transform dropped their versions', async () => {
    const transport = new FakeTransport(
      [{ items: [pod('a', '5')], resourceVersion: '5' }],
      [[event('MODIFIED', pod('a', '6'))]],
    );
    let updates = 0;
    const transform = ({ metadata: { name, namespace } }: KubeObject) => ({
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { name, namespace },
    });
    const informer = new Informer({ client: new RestClient(transport), resource: pods, transform })
      .addHandlers({ onUpdate: () => updates++ })
      .start();
    await until(() => updates === 1);
    await informer.stop();
  });

  it('lists again after 410 and reports only the differences', async () => {
    const expired = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Expired',
      message: 'too old',
      code: 410,
    };
    const transport = new FakeTransport(
      [
        { items: [pod('a', '5'), pod('b', '5')], resourceVersion: '5' },
        { items: [pod('a', '5'), pod('c', '9')], resourceVersion: '9' },
      ],
      [[event('ERROR', expired)]],
    );
    const seen: string[] = [];
    const onError = (error: unknown) => seen.push(`failed: ${String(error)}`);
    const informer = new Informer({ client: new RestClient(transport), resource: pods, onError })
      .addHandlers({
        onAdd: (object) => seen.push(`+${object.metadata.name}`),
        onUpdate: (object) => seen.push(`~${object.metadata.name}`),
        onDelete: (object) => seen.push(`-${object.metadata.name}`),
      })
      .start();
    await until(() => seen.length >= 4);
    await informer.stop();
    assert.deepEqual(seen, ['+a', '+b', '+c', '-b']);
  });

  it('completes its first list when it is stopped before a watch has sent all objects', async () => {
    const transport = new FakeTransport([{ items: [pod('a', '5')], resourceVersion: '5' }], [undefined]);
    const informer = new Informer({
      client: new RestClient(transport),
      resource: pods,
      streamsInitialState: true,
    }).start();
    await until(() => transport.requests.length === 1);
    await informer.stop();
    await informer.waitForSync();
    assert.equal(informer.list().length, 1);
  });

  it('adds present objects to a handler that comes late, and finds them by an index', async () => {
    const end = {
      ...pod('', '5'),
      metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } },
    };
    const initial = [event('ADDED', pod('a', '5')), event('ADDED', pod('b', '5')), event('BOOKMARK', end)];
    const transport = new FakeTransport([], [initial]);
    const shared = new SharedInformers({ client: new RestClient(transport) });
    const informer = shared.informer(pods).start();
    await informer.waitForSync();
    const seen: unknown[] = [];
    assert.equal(shared.informer({ ...pods }), informer);
    informer.addHandlers({ onAdd: (object) => seen.push(object.metadata.name) });
    assert.deepEqual(seen, ['a', 'b']);
    assert.equal(informer.index(byNamespace).get('default').length, 2);
    assert.equal(informer.index(byNamespace), informer.index(byNamespace));
    await shared.stop();
  });
});

import assert from 'node:assert/strict';
import { isStatusError, type KubeObject, newTooManyRequests } from '@apichain/meta';
import { TerminalError, type Result } from '../work-queue.ts';
import { indexField } from './cached-client.ts';
import { controller, type ControllerSpec, type Request } from './controller.ts';
import { FakeApi, secrets, startTest, until, widget, widgets, type Widget } from './fake-api.fixture.ts';
import * as predicate from './predicates.ts';

const inDefault = { ...widgets, namespace: 'default' };
const secretsInDefault = { ...secrets, namespace: 'default' };
const secret = (name: string, metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default', ...metadata },
});
/** A controller that only notes what it is called for. */
const noting = (seen: string[], spec: Partial<ControllerSpec<Widget, readonly [KubeObject]>> = {}) =>
  controller({ for: widgets, ...spec }).reconcile(async ({ request, object }) => {
    seen.push(`${request.namespace}/${request.name} ${object.spec.size}`);
  });

describe('startManager', () => {
  it('reconciles what exists, what is created and what changes', async () => {
    const api = new FakeApi();
    await api.client.create(inDefault, widget('a'));
    const seen: string[] = [];
    const { manager, errors } = await startTest(api, [noting(seen)]);
    await until(() => seen.length === 1);
    await api.client.create({ ...inDefault, namespace: 'other' }, widget('b', 5, { namespace: 'other' }));
    await until(() => seen.length === 2);
    await api.client.patch(inDefault, 'a', 'merge', { spec: { size: 2 } });
    await until(() => seen.length === 3);
    await api.client.delete(inDefault, 'a');
    await manager.stop();
    assert.deepEqual([seen, errors], [['default/a 1', 'other/b 5', 'default/a 2'], []]);
  });

  it('watches each resource once for all controllers, in the namespaces that are given', async () => {
    const api = new FakeApi();
    const seen: string[] = [];
    const controllers = [noting(seen, { owns: [secrets] }), noting(seen, { name: 'second', owns: [secrets] })];
    const { manager } = await startTest(api, controllers, { namespaces: ['default', 'b'] });
    await api.client.create(inDefault, widget('a'));
    await api.client.create({ ...inDefault, namespace: 'c' }, widget('x', 1, { namespace: 'c' }));
    await until(() => seen.length === 2);
    await manager.stop();
    const lists = new Set(api.reads);
    assert.deepEqual(
      [...lists].sort(),
      ['secrets', 'widgets'].flatMap((resource) =>
        ['b', 'default'].map((name) =>
          resource === 'secrets'
            ? `GET /api/v1/namespaces/${name}/secrets`
            : `GET /apis/example.com/v1/namespaces/${name}/widgets`,
        ),
      ),
    );
    await assert.rejects(startTest(api, [noting(seen), noting(seen)]), /controller with name widget already exists/);
    assert.throws(() => noting(seen, { maxConcurrentReconciles: 0 }), /is 0: it must be a positive integer$/);
  });

  it('leads an owned object to its controller, or to all owners', async () => {
    const owner = (name: string, isController: boolean, apiVersion = 'example.com/v1', kind = 'Widget') => ({
      ...{ apiVersion, kind, name, uid: name, controller: isController },
    });
    const owned = secret('s', {
      ownerReferences: [
        owner('a', true),
        owner('b', false),
        owner('c', false, 'other.com/v1'),
        owner('d', false, 'example.com/v1', 'Gadget'),
      ],
    });
    for (const [owns, expected] of [
      [[secrets], ['default/a 1']],
      [[{ source: secrets, matchEveryOwner: true }], ['default/a 1', 'default/b 1']],
    ] as const) {
      const api = new FakeApi();
      for (const name of ['a', 'b', 'c', 'd']) await api.client.create(inDefault, widget(name));
      const seen: string[] = [];
      const { manager } = await startTest(api, [noting(seen, { owns })]);
      await until(() => seen.length === 4);
      seen.length = 0;
      await api.client.create(secretsInDefault, owned);
      await until(() => seen.length === expected.length);
      await manager.stop();
      assert.deepEqual(seen, expected);
    }
  });

  it('maps watched objects to requests, at once or later, for the old and the new state', async () => {
    const api = new FakeApi();
    for (const name of ['a', 'b']) await api.client.create(inDefault, widget(name));
    const seen: string[] = [];
    const map = (object: KubeObject): Request[] => [
      { namespace: 'default', name: object.metadata.labels?.['widget'] ?? '' },
    ];
    const { manager, errors } = await startTest(api, [
      noting(seen, { watches: [{ source: secrets, map }] }),
      noting(seen, {
        name: 'later',
        watches: [
          {
            source: secrets,
            map: async (object, client) => {
              if (object.metadata.labels?.['widget'] === 'b') throw new Error('no map');
              return (await client.list(inDefault)).items.map(({ metadata }) => ({
                namespace: 'default',
                name: metadata.name ?? '',
              }));
            },
          },
        ],
      }),
    ]);
    await until(() => seen.length === 4);
    await api.client.create(secretsInDefault, secret('s', { labels: { widget: 'a' } }));
    await until(() => seen.length === 7);
    assert.deepEqual(seen.slice(4).sort(), ['default/a 1', 'default/a 1', 'default/b 1']);
    await api.client.patch(secretsInDefault, 's', 'merge', { metadata: { labels: { widget: 'b' } } });
    await until(() => seen.length === 11 && errors.length === 1);
    await manager.stop();
    assert.match(errors[0] ?? '', /an event was not handled .*no map/);
  });

  it('reconciles only for events that the predicates let pass', async () => {
    const api = new FakeApi();
    const seen: string[] = [];
    const { manager } = await startTest(api, [
      noting(seen, { for: { source: widgets, predicates: [predicate.generationChanged] } }),
    ]);
    await api.client.create(inDefault, widget('a'));
    await until(() => seen.length === 1);
    await api.client.patch(inDefault, 'a', 'merge', { metadata: { labels: { a: 'b' } } });
    await api.client.patch(inDefault, 'a', 'merge', { spec: { size: 2 } });
    await until(() => seen.length === 2);
    await manager.stop();
    assert.deepEqual(seen, ['default/a 1', 'default/a 2']);
  });

  it('repeats what fails or asks for it, and nothing after a terminal error', async () => {
    const api = new FakeApi();
    const results: (Result | Error)[] = [
      new Error('first'),
      newTooManyRequests('busy', 0.02),
      { requeue: true },
      { requeueAfter: '1ms' },
      { requeueAfter: 1 },
      { requeueAfter: 'soon' },
      new TerminalError('never again'),
    ];
    let calls = 0;
    const { manager, errors } = await startTest(api, [
      controller({ for: widgets }).reconcile(async () => {
        const result = results[calls++] ?? {};
        if (result instanceof Error) throw result;
        return result;
      }),
    ]);
    await api.client.create(inDefault, widget('a'));
    await until(() => calls === 7 && errors.length === 4);
    await api.client.patch(inDefault, 'a', 'merge', { spec: { size: 2 } });
    await until(() => calls === 8);
    await manager.stop();
    assert.equal(calls, 8);
    assert.deepEqual(
      errors.map((line) => /"error":"(.*)"/.exec(line)?.[1]),
      ['first', 'busy', 'time: invalid duration \\"soon\\"', 'never again'],
    );
  });

  it('reconciles different objects at a time, one object never', async () => {
    const api = new FakeApi();
    const running = new Set<string>();
    const most = { running: 0 };
    let calls = 0;
    const { manager, errors } = await startTest(api, [
      controller({ for: widgets, maxConcurrentReconciles: 3 }).reconcile(async ({ request: { name } }) => {
        assert.ok(!running.has(name));
        running.add(name);
        most.running = Math.max(most.running, running.size);
        await until(() => most.running === 3);
        running.delete(name);
        calls++;
      }),
    ]);
    for (const name of ['a', 'b', 'c', 'd']) {
      await api.client.create(inDefault, widget(name));
      await api.client.patch(inDefault, name, 'merge', { spec: { size: 9 } });
    }
    await until(() => calls >= 4 && running.size === 0);
    await manager.stop();
    assert.deepEqual([most.running, errors], [3, []]);
  });

  it('reads watched kinds from its cache, by namespace, labels and indexed fields, and others from the server', async () => {
    const api = new FakeApi();
    await api.client.create(inDefault, widget('a', 1, { labels: { tier: 'web' } }));
    await api.client.create(inDefault, widget('b', 2));
    await api.client.create({ ...inDefault, namespace: 'other' }, widget('c', 2, { namespace: 'other' }));
    await api.client.create(secretsInDefault, secret('s'));
    const bySize = indexField(widgets, 'spec.size', ({ spec }) => [String(spec.size)]);
    const { manager } = await startTest(api, [noting([], { indexes: [bySize] })]);
    const { client } = manager;
    api.reads.length = 0;
    const names = async (query: Record<string, string>, ref: typeof widgets = widgets) =>
      (await client.list(ref, query)).items.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    assert.deepEqual(await names({}), ['Widget a', 'Widget b', 'Widget c']);
    assert.deepEqual(await names({}, inDefault), ['Widget a', 'Widget b']);
    assert.deepEqual(await names({ labelSelector: 'tier=web' }), ['Widget a']);
    assert.deepEqual(await names({ fieldSelector: 'spec.size=2' }), ['Widget b', 'Widget c']);
    assert.deepEqual(await names({ fieldSelector: 'spec.size=2' }, inDefault), ['Widget b']);
    const own = await client.get(inDefault, 'a');
    own.spec.size = 77;
    assert.equal((await client.get(inDefault, 'a')).spec.size, 1);
    await assert.rejects(client.get(inDefault, 'x'), (error) => isStatusError(error, 'NotFound'));
    assert.deepEqual(api.reads, []);
    await client.get(secretsInDefault, 's');
    await client.list(widgets, { limit: 1 });
    await client.list(widgets, { fieldSelector: 'metadata.name=a' });
    await manager.apiReader.get(inDefault, 'a');
    assert.equal(api.reads.length, 4);
    await manager.stop();
  });

  it('waits for reconciles at its end, as long as it may', async () => {
    const api = new FakeApi();
    await api.client.create(inDefault, widget('a'));
    const release = Promise.withResolvers<void>();
    let began = 0;
    let hasEnded = false;
    const slow = controller({ for: widgets }).reconcile(async ({ signal }) => {
      began++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await release.promise;
      hasEnded = true;
    });
    const first = await startTest(api, [slow]);
    const hurried = await startTest(api, [slow], { gracefulShutdownTimeoutMs: 5 });
    await until(() => began === 2);
    await assert.rejects(
      hurried.manager.stop(),
      /failed waiting for all runnables to end within grace period of 0\.005s/,
    );
    const stopped = first.manager.stop();
    assert.equal(hasEnded, false);
    release.resolve();
    await stopped;
    assert.equal(hasEnded, true);
    assert.deepEqual(first.errors, []);
  });

  it('does not wait for ever for a resource that is not served', async () => {
    const api = new FakeApi();
    api.before = () => {
      throw newTooManyRequests('busy', 1);
    };
    await assert.rejects(
      startTest(api, [noting([])], { cacheSyncTimeoutMs: 20 }),
      /timed out waiting for caches to be synced: widgets\.example\.com: busy/,
    );
  });

  it('stops by a signal, also before it has begun', async () => {
    const api = new FakeApi();
    const seen: string[] = [];
    const stopping = new AbortController();
    const { manager } = await startTest(api, [noting(seen)], { signal: stopping.signal });
    stopping.abort();
    await manager.stopped;
    const late = await startTest(api, [noting(seen)], { signal: stopping.signal });
    await late.manager.stopped;
    await api.client.create(inDefault, widget('a'));
    assert.deepEqual(seen, []);
  });
});

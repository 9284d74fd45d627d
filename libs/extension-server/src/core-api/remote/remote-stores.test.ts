import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { lookedUp, StorageLookup } from '@apichain/admission';
import { RestClient } from '@apichain/client';
import { record } from '@apichain/meta';
import { FollowedObjects, type ResourceStores } from '@apichain/storage';
import { RepeatedErrors } from '../repeated-errors.ts';
import { listOf, namespaceOf, ScriptedCore, statusOf } from '../scripted-core.fixture.ts';
import { RemoteResource } from './remote-resource.ts';
import { RemoteStorage } from './remote-storage.ts';
import { remoteStores } from './remote-stores.ts';

const namespaces = lookedUp.namespaces;

/** Waits until the condition holds, for at most five seconds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500 && !(await condition()); i++) await delay(10);
  assert.ok(await condition());
}

/** A watch that stays open. Its lines are those that the test sends. */
class OpenWatch implements AsyncIterable<unknown> {
  #wake = Promise.withResolvers<void>();
  #lines: unknown[] = [];
  #ended = false;

  send(...lines: unknown[]): void {
    this.#lines.push(...lines);
    this.#wake.resolve();
  }
  end(): void {
    this.#ended = true;
    this.#wake.resolve();
  }
  async *[Symbol.asyncIterator]() {
    for (;;) {
      const lines = this.#lines;
      this.#lines = [];
      yield* lines;
      if (this.#ended && this.#lines.length === 0) return;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }
}

describe('stores of the core API', () => {
  let core: ScriptedCore;
  let log: string[];
  let stores: ResourceStores;
  let lookup: StorageLookup;
  let ended: AbortController;
  let watch: OpenWatch;
  beforeEach(() => {
    core = new ScriptedCore();
    log = [];
    ended = new AbortController();
    const errors = new RepeatedErrors({ warn: (text: string) => void log.push(text) });
    stores = remoteStores({ client: new RestClient(core), errors, signal: ended.signal });
    lookup = new StorageLookup(stores);
    watch = new OpenWatch();
    core.answer = (_method, path, query) => {
      if (query.has('watch')) return { lines: watch };
      if (path === '/api/v1/namespaces') return { body: listOf(5, [namespaceOf('a', 3), namespaceOf('b', 5)]) };
      const name = path.slice('/api/v1/namespaces/'.length);
      return name === 'late'
        ? { body: namespaceOf('late', 9) }
        : statusOf(404, `namespaces "${name}" not found`, { name, kind: 'namespaces' });
    };
  });
  afterEach(() => {
    ended.abort();
    watch.end();
  });

  it('answer reads from a copy that is listed once and then watched', async () => {
    assert.equal((await lookup.get(namespaces, '', 'a'))?.metadata.name, 'a');
    assert.equal(await lookup.get(namespaces, '', 'late'), undefined);
    assert.equal(core.requests.filter((request) => !request.includes('watch')).length, 1);
    watch.send({ type: 'ADDED', object: namespaceOf('late', 6) }, { type: 'DELETED', object: namespaceOf('a', 7) });
    await until(async () => (await lookup.get(namespaces, '', 'a')) === undefined);
    assert.equal((await lookup.get(namespaces, '', 'late'))?.kind, 'Namespace');
    assert.deepEqual(
      (await lookup.list(namespaces, '')).map(({ metadata }) => metadata.name),
      ['b', 'late'],
    );
  });

  it('read live objects with a request', async () => {
    assert.equal((await lookup.live(namespaces, '', 'late'))?.metadata.resourceVersion, '9');
    assert.equal(await lookup.live(namespaces, '', 'nowhere'), undefined);
    assert.deepEqual(core.requests, ['GET /api/v1/namespaces/late', 'GET /api/v1/namespaces/nowhere']);
  });

  it('do not exist for resources that are not built in', () => {
    assert.equal(stores({ group: 'example.com', resource: 'widgets' }), undefined);
    assert.equal(stores(namespaces), stores(namespaces));
  });

  it('keep the copy while the core API is away, and say so', async () => {
    await lookup.get(namespaces, '', 'a');
    core.failure = new Error('connect ECONNREFUSED');
    watch.end();
    await until(() => log.length > 0);
    assert.equal((await lookup.get(namespaces, '', 'a'))?.metadata.name, 'a');
    await assert.rejects(lookup.live(namespaces, '', 'c'), {
      code: 500,
      message: 'Internal error occurred: reading namespaces "c" from the core API failed: connect ECONNREFUSED',
    });
    assert.deepEqual(log, ['this server cannot follow objects of the core API, trying again: connect ECONNREFUSED']);
  });

  it('do not wait for a copy that may not be made, and name the missing rights once', async () => {
    const { answer } = core;
    const refusal = 'namespaces is forbidden: User "jane" cannot list resource "namespaces"';
    core.answer = (method, path, query) =>
      path === '/api/v1/namespaces' ? statusOf(403, refusal) : answer(method, path, query);
    const since = performance.now();
    for (let i = 0; i < 3; i++) assert.equal((await lookup.get(namespaces, '', 'late'))?.metadata.name, 'late');
    await delay(400);
    assert.ok(performance.now() - since < 10_000);
    assert.ok(core.requests.filter((request) => request.includes('?limit')).length < 5, 'not in a tight loop');
    assert.deepEqual(log, [
      `this server cannot follow namespaces of the core API; its user needs the verbs get, list and watch: ${refusal}`,
    ]);
  });

  it('continue a watch that the server ends, after the last bookmark', async () => {
    await lookup.get(namespaces, '', 'a');
    watch.send({ type: 'BOOKMARK', object: namespaceOf('', 40) });
    watch.end();
    watch = new OpenWatch();
    const watches = () => core.requests.filter((request) => request.includes('watch=true'));
    await until(() => watches().length === 2);
    assert.match(watches()[1] ?? '', /resourceVersion=40&/);
    assert.equal(core.requests.filter((request) => request.includes('?limit')).length, 1);
  });

  it('list again when the changes since are no longer known, or the core API has begun anew', async () => {
    await lookup.get(namespaces, '', 'a');
    core.answer = (_method, _path, query) =>
      query.has('watch') ? { lines: watch } : { body: listOf(2, [namespaceOf('a', 1)]) };
    watch.send({ type: 'ERROR', object: statusOf(410, 'too old').body });
    watch = new OpenWatch();
    await until(async () => (await lookup.get(namespaces, '', 'a'))?.metadata.resourceVersion === '1');
    assert.equal(await lookup.get(namespaces, '', 'b'), undefined);
    assert.deepEqual(log, []);
  });

  it('read all pages, and everything at once when the pages expire', async () => {
    let expires = false;
    core.answer = (_method, _path, query) => {
      if (query.has('watch')) return { lines: watch };
      if (!query.has('limit')) return { body: listOf(9, [namespaceOf('all', 9)]) };
      if (query.get('continue') === null) return { body: listOf(5, [namespaceOf('a', 3)], { continue: 'next' }) };
      return expires ? statusOf(410, 'expired') : { body: listOf(5, [namespaceOf('b', 4)]) };
    };
    const resource = new RemoteResource(new RestClient(core), namespaces);
    const names = async () => (await resource.list('')).objects.map(({ metadata }) => metadata.name);
    assert.deepEqual(await names(), ['a', 'b']);
    expires = true;
    assert.deepEqual(await names(), ['all']);
  });

  it('have objects of the storage version, whichever version the core API serves', async () => {
    const group = 'admissionregistration.k8s.io';
    const policy = {
      apiVersion: `${group}/v1alpha1`,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: 'p', resourceVersion: '4' },
      spec: { reinvocationPolicy: 'Never' },
    };
    core.answer = (_method, path) =>
      path.startsWith(`/apis/${group}/v1alpha1/`) ? { body: listOf(7, [policy]) } : undefined;
    const resource = new RemoteResource(new RestClient(core), { group, resource: 'mutatingadmissionpolicies' });
    const { objects, revision } = await resource.list('');
    assert.equal(revision, 7);
    assert.equal(objects[0]?.apiVersion, `${group}/v1beta1`);
    assert.equal(objects[0]?.kind, 'MutatingAdmissionPolicy');
    assert.equal(record(objects[0]?.['spec'])['reinvocationPolicy'], 'Never');
    const before = core.requests.length;
    await resource.list('');
    assert.equal(core.requests.length, before + 1, 'the version is remembered');
  });

  it('are empty for a resource that the core API does not serve', async () => {
    core.answer = (_method, path) => (path === '/apis' ? { body: { kind: 'APIGroupList', groups: [] } } : undefined);
    const told: number[] = [];
    const store = stores({ group: 'flowcontrol.apiserver.k8s.io', resource: 'flowschemas' });
    const followed = new FollowedObjects({ store, onChange: ({ put }) => void told.push(put.length) });
    void followed.run(ended.signal);
    await followed.waitForSync();
    await delay(250);
    assert.deepEqual(told, [0]);
    assert.deepEqual(log, []);
    assert.ok(core.requests.every((request) => !request.includes('watch')));
    assert.ok(core.requests.length < 8, 'not in a tight loop');
  });

  it('are not empty because a load balancer answers 404', async () => {
    await lookup.get(namespaces, '', 'a');
    core.answer = () => undefined;
    watch.end();
    await until(() => log.length > 0);
    assert.equal((await lookup.get(namespaces, '', 'a'))?.metadata.name, 'a');
    await assert.rejects(lookup.live(namespaces, '', 'a'), {
      code: 500,
      message:
        'Internal error occurred: reading namespaces "a" from the core API failed: the server does not list its API groups: the server could not find the requested resource',
    });
  });

  it('do not keep a copy that is too large', async () => {
    const problems: unknown[] = [];
    const storage = new RemoteStorage({
      resource: new RemoteResource(new RestClient(core), namespaces),
      prefix: '/namespaces',
      name: 'namespaces',
      onError: (error) => void problems.push(error),
      signal: ended.signal,
      maxBytes: 100,
    });
    const small = new StorageLookup(() => ({ storage, prefix: '/namespaces' }));
    for (let i = 0; i < 3; i++) assert.equal((await small.get(namespaces, '', 'late'))?.metadata.name, 'late');
    assert.equal(core.requests.filter((request) => request.includes('?limit')).length, 1);
    assert.match(String(problems), /^Error: the objects have more than 100 bytes and are not kept in memory$/);
  });

  it('read objects of namespaces, and all of one namespace', async () => {
    core.answer = (_method, path) => {
      const object = { metadata: { name: 'c', namespace: 'ns', resourceVersion: '3' }, data: {} };
      return path === '/api/v1/namespaces/ns/configmaps'
        ? { body: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '3' }, items: [object] } }
        : path === '/api/v1/namespaces/ns/configmaps/c'
          ? { body: object }
          : statusOf(403, 'no');
    };
    const configMaps = { group: '', resource: 'configmaps' };
    assert.equal((await lookup.get(configMaps, 'ns', 'c'))?.metadata.namespace, 'ns');
    assert.equal((await lookup.list(configMaps, 'ns')).length, 1);
    await assert.rejects(lookup.list(configMaps, ''), /reading configmaps from the core API failed: no$/);
  });
});

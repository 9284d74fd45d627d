import assert from 'node:assert/strict';
import { once } from 'node:events';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { Type } from 'typebox';
import { CoreServer } from './core-server.fixture.ts';
import { defineResource } from './resource/definition.ts';
import { withReportedErrors } from './resource/reported-errors.ts';
import { createApiServer } from './server.ts';
import { flagsOf, TestApiServer } from './server.fixture.ts';

const group = 'faulty.example.com';
const secret = new Error('the password is 1234');
const fail = (): never => {
  throw secret;
};
const never = () => new Promise<never>(() => undefined);
const spec = Type.Optional(
  Type.Object({
    mode: Type.Optional(Type.String()),
    text: Type.Optional(Type.String({ pattern: '^(a+)+$', maxLength: 100_000 })),
  }),
);
const modeOf = ({ spec }: { readonly spec?: { readonly mode?: string } }) => spec?.mode;

const things = defineResource({
  ...{ group, version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' },
  schema: Type.Object({ spec }),
  defaults: (thing) => (modeOf(thing) === 'defaults' ? fail() : undefined),
  prepareForCreate: (thing) => (modeOf(thing) === 'prepare' ? fail() : modeOf(thing) === 'never' ? never() : undefined),
  prepareForUpdate: (thing) => (modeOf(thing) === 'update' ? fail() : undefined),
  validate: async (thing) => (modeOf(thing) === 'validate' ? fail() : []),
  versions: [
    {
      version: 'v1alpha1',
      schema: Type.Object({ spec }),
      toStorage: ({ spec }) => ({ spec }),
      fromStorage: (thing) =>
        modeOf(thing) === 'convert' ? fail() : { spec: thing.spec, metadata: { name: 'other' } },
    },
  ],
});

const count = 50_000;
let watches = 0;
const sources = defineResource({
  ...{ group, version: 'v1', kind: 'Source', plural: 'sources', scope: 'Cluster' },
  schema: Type.Object({ text: Type.Optional(Type.String()) }),
  computed: {
    get: (name) => (name === 'error' ? fail() : name === 'never' ? never() : { metadata: { name } }),
    list: () => Array.from({ length: count }, (_, i) => ({ metadata: { name: `source-${i}` }, text: 'x'.repeat(100) })),
    async *watch(ctx) {
      watches += 1;
      try {
        yield { type: 'ADDED', object: { metadata: { name: 'first' } } };
        if (ctx.query.text('labelSelector') !== '') fail();
        await once(ctx.signal, 'abort');
      } finally {
        watches -= 1;
      }
    },
    connect: { proxy: { methods: ['GET'], handle: ({ name }) => (name === 'error' ? fail() : never()) } },
  },
});

const ref = { group, version: 'v1', resource: 'things', namespace: 'default' };
const alpha = { ...ref, version: 'v1alpha1' };
const sourcesRef = { group, version: 'v1', resource: 'sources' };
const thing = (name: string, fields: object = {}, metadata: object = {}): KubeObject => ({
  ...{ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name, namespace: 'default', ...metadata } },
  spec: fields,
});
const refused = (what: string) => (error: unknown) => {
  assert.ok(isStatusError(error, 'InternalError'), String(error));
  assert.equal(error.status.code, 500);
  assert.equal(error.message, `Internal error occurred: ${what} failed`);
  return true;
};

describe('a program with faults', () => {
  const server = new TestApiServer({
    resources: [things, sources],
    admission: () => [
      {
        name: 'Faulty',
        handles: new Set(['CREATE']),
        validate: ({ name }) => (name === 'plugin' ? fail() : undefined),
      },
    ],
  });
  const create = (mode: string, name = mode) => server.client.create(ref, thing(name, { mode }));

  it('returns InternalError without the text of an error that is no StatusError', async () => {
    await assert.rejects(create('defaults'), refused('defaults of things.faulty.example.com'));
    await assert.rejects(create('prepare'), refused('prepareForCreate of things.faulty.example.com'));
    await assert.rejects(create('validate'), refused('validate of things.faulty.example.com'));
    await assert.rejects(create('none', 'plugin'), refused('validate of admission plugin Faulty'));
    await create('none', 'updated');
    const update = server.client.patch(ref, 'updated', 'merge', { spec: { mode: 'update' } });
    await assert.rejects(update, refused('prepareForUpdate of things.faulty.example.com'));
    await assert.rejects(server.client.get(sourcesRef, 'error'), refused('get of sources.faulty.example.com'));
    const connection = server.client.request('GET', `/apis/${group}/v1/sources/error/proxy`);
    await assert.rejects(connection, refused('connect of sources.faulty.example.com'));
  });

  it('reports these errors to its log', async () => {
    const reports: unknown[] = [];
    const guarded = withReportedErrors(things, (...report) => reports.push(report));
    assert.throws(
      () => guarded.defaults['v1']?.(thing('a', { mode: 'defaults' })),
      refused('defaults of things.faulty.example.com'),
    );
    assert.deepEqual(reports, [[secret, 'defaults of things.faulty.example.com']]);
  });

  it('refuses what cannot be converted, and nothing else', async () => {
    await create('convert');
    const one = server.client.get(alpha, 'convert');
    await assert.rejects(one, refused('fromStorage of things.faulty.example.com'));
    assert.equal((await server.client.get(ref, 'convert')).metadata.name, 'convert');
    assert.equal((await server.client.get(alpha, 'updated')).metadata.name, 'updated');
    await server.client.delete(ref, 'convert');
  });

  it('keeps the metadata of objects that it converts', async () => {
    const made = await server.client.create(ref, thing('kept', {}, { labels: { a: 'b' }, annotations: { c: 'd' } }));
    const seen = await server.client.get(alpha, 'kept');
    assert.deepEqual(seen.metadata.labels, { a: 'b' });
    assert.equal(seen.metadata.uid, made.metadata.uid);
    const updated = await server.client.update(alpha, { ...seen, spec: { mode: 'new' } });
    assert.deepEqual([updated.metadata.labels, updated.metadata.annotations], [{ a: 'b' }, { c: 'd' }]);
  });

  it('ends requests whose function does not come back', async () => {
    const started = performance.now();
    for (const request of [
      server.client.get(sourcesRef, 'never', { timeout: '300ms' }),
      server.client.create(ref, thing('never', { mode: 'never' }), { timeout: '300ms' }),
    ])
      await assert.rejects(request, { reason: 'Timeout' });
    assert.ok(performance.now() - started < 30_000);
    assert.ok((await server.client.list(ref)).items.length > 0);
  });

  it('ends a watch that fails with an event', async () => {
    const seen: unknown[] = [];
    for await (const event of server.client.watch(sourcesRef, { labelSelector: 'a!=b' }, new AbortController().signal))
      seen.push(event.type === 'ERROR' ? event.object.message : event.object.metadata.name);
    assert.deepEqual(seen, ['first', 'Internal error occurred: watch of sources.faulty.example.com failed']);
    assert.equal(watches, 0);
  });

  it('ends a watch whose time is over, and its source', async () => {
    for await (const event of server.client.watch(sourcesRef, { timeoutSeconds: 1 }, new AbortController().signal))
      assert.equal(event.type, 'ADDED');
    await until(() => watches === 0, 'the source ends');
  });

  it('lists many computed objects without a long pause for others', async () => {
    // The time of this thread, whatever else the machine does.
    const spent = () => (({ user, system }) => (user + system) / 1000)(process.threadCpuUsage());
    let last = spent();
    let longest = 0;
    const timer = setInterval(() => {
      longest = Math.max(longest, spent() - last);
      last = spent();
    }, 5);
    const path = `/apis/${group}/v1/sources`;
    const length = (await server.text(path)).length;
    clearInterval(timer);
    assert.ok(length > count * 100);
    assert.ok(longest < 250, `a pause of ${longest} ms`);
  });

  it('checks patterns that backtrack in linear time', async () => {
    const { user, system } = process.threadCpuUsage();
    const text = `${'a'.repeat(50_000)}!`;
    await assert.rejects(server.client.create(ref, thing('pattern', { text })), { reason: 'Invalid' });
    const spent = process.threadCpuUsage({ user, system });
    assert.ok(spent.user + spent.system < 2_000_000, `${spent.user + spent.system} µs`);
  });

  it('refuses huge objects and names that are none', async () => {
    const large = thing('large', { mode: 'x'.repeat(4_000_000) });
    await assert.rejects(server.client.create(ref, large), { reason: 'RequestEntityTooLarge' });
    for (const name of ['A', 'a b', 'a_b', '-a', 'é', 'a'.repeat(254), '__proto__'])
      await assert.rejects(create('none', name), (error) => isStatusError(error, 'Invalid'));
    for (const name of ['a%2Fb', '%00', '%', '..%2F..', '__proto__', 'a'.repeat(300)]) {
      const text = await server.text(`/apis/${group}/v1/namespaces/default/things/${name}`);
      assert.match(text, /"code":4\d\d|^40\d /, name);
    }
  });

  it('serves dry runs, generated names, finalizers and deletecollection', async () => {
    await server.client.create(ref, thing('dry'), { dryRun: 'All' });
    await assert.rejects(server.client.get(ref, 'dry'), { reason: 'NotFound' });
    const { name: _name, ...metadata } = thing('').metadata;
    const generated = await server.client.create(ref, {
      ...thing(''),
      metadata: { ...metadata, generateName: 'gen-' },
    });
    assert.match(generated.metadata.name ?? '', /^gen-[a-z0-9]{5}$/);
    await server.client.create(ref, thing('held', {}, { finalizers: ['example.com/hold'], labels: { all: 'yes' } }));
    await server.client.create(ref, thing('free', {}, { labels: { all: 'yes' } }));
    await server.client.deleteCollection(ref, { labelSelector: 'all=yes' });
    const left = (await server.client.list(ref, { labelSelector: 'all=yes' })).items;
    assert.deepEqual(
      left.map(({ metadata: { name, deletionTimestamp } }) => [name, deletionTimestamp !== undefined]),
      [['held', true]],
    );
    await server.client.patch(ref, 'held', 'merge', { metadata: { finalizers: null } });
    await assert.rejects(server.client.get(ref, 'held'), { reason: 'NotFound' });
  });

  it('cannot have a version twice', async () => {
    const twice = defineResource({
      ...{ group, version: 'v1', kind: 'Twice', plural: 'twices', scope: 'Namespaced' },
      schema: Type.Object({}),
      versions: [{ version: 'v1', schema: Type.Object({}), toStorage: () => ({}), fromStorage: () => ({}) }],
    });
    const start = createApiServer({ name: 'test', resources: [twice] }).start(['--memory', '--secure-port=0']);
    await assert.rejects(start, { message: 'faulty.example.com/v1 twices is defined twice' });
  });

  it('stops although watches are open and a connection never ends', async () => {
    const core = await CoreServer.start();
    const running = await createApiServer({ name: 'test', resources: [things, sources] }).start(
      flagsOf(core, '--memory'),
    );
    await running.ready();
    const transport = running.connect('test');
    const paths = ['sources?watch=true', 'things?watch=true', 'sources/a/proxy'].map(
      (path) => `/apis/${group}/v1/${path}`,
    );
    const pending = paths.map((path) => transport.send({ method: 'GET', path }).catch(() => undefined));
    await Promise.all(pending.slice(0, 2));
    const started = performance.now();
    await running.close();
    assert.ok(performance.now() - started < 60_000);
    await transport.close();
    core.close();
  });
});

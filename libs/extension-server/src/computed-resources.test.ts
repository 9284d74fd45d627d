import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Type } from 'typebox';
import { defineResource } from './resource/definition.ts';
import { createApiServer } from './server.ts';
import { CoreServer } from './core-server.fixture.ts';
import { flagsOf, TestApiServer } from './server.fixture.ts';

const names = ['a', 'b', 'c'];
const usageSchema = Type.Object({ usage: Type.Object({ cpu: Type.String() }) });
const usage = (name: string) => ({ metadata: { name, labels: { name } }, usage: { cpu: '1' } });
let watches = 0;

const usages = defineResource({
  group: 'metrics.example.com',
  version: 'v1',
  kind: 'Usage',
  plural: 'usages',
  scope: 'Cluster',
  schema: usageSchema,
  columns: [{ name: 'CPU', type: 'string', jsonPath: '.usage.cpu' }],
  selectableFields: ['.usage.cpu'],
  computed: {
    get: (name) => (names.includes(name) ? usage(name) : undefined),
    list: ({ query }) => {
      // @ts-expect-error Parameters are no properties: this must not compile, because it would be undefined.
      assert.equal(query['first'], undefined);
      return names.slice(0, query.integer('first') ?? names.length).map(usage);
    },
    async *watch(ctx) {
      watches++;
      try {
        yield { type: 'ADDED', object: usage('d') };
        yield { type: 'ADDED', object: usage('e') };
        await once(ctx.signal, 'abort');
      } finally {
        watches--;
      }
    },
    connect: {
      proxy: {
        methods: ['GET'],
        handle: ({ name, subpath, response, ctx }) => {
          response.end(`${name} ${subpath} ${ctx.user.name}`);
        },
      },
    },
  },
});

const reviews = defineResource({
  group: 'metrics.example.com',
  version: 'v1',
  kind: 'SumReview',
  plural: 'sumreviews',
  scope: 'Cluster',
  schema: Type.Object({
    spec: Type.Object({ numbers: Type.Array(Type.Integer()) }),
    status: Type.Optional(Type.Object({ sum: Type.Integer() })),
  }),
  computed: {
    create: ({ spec }) => ({ spec, status: { sum: spec.numbers.reduce((a, b) => a + b, 0) } }),
  },
});

const ref = { group: 'metrics.example.com', version: 'v1', resource: 'usages' };

describe('computed resources', () => {
  const server = new TestApiServer({ resources: [usages, reviews] });
  const review = (spec: object) =>
    server.client.create(
      { ...ref, resource: 'sumreviews' },
      { apiVersion: 'metrics.example.com/v1', kind: 'SumReview', metadata: {}, spec },
    );

  it('are got, listed and selected', async () => {
    assert.deepEqual(await server.client.get(ref, 'a'), {
      ...{ apiVersion: 'metrics.example.com/v1', kind: 'Usage' },
      ...usage('a'),
    });
    await assert.rejects(server.client.get(ref, 'x'), { message: 'usages.metrics.example.com "x" not found' });
    const found = async (query: Record<string, string>) =>
      (await server.client.list(ref, query)).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(await found({}), names);
    assert.deepEqual(await found({ labelSelector: 'name in (a,c)' }), ['a', 'c']);
    assert.deepEqual(await found({ fieldSelector: 'usage.cpu=2' }), []);
  });

  it('read the parameters of a request', async () => {
    const list = (query: Record<string, string>) => server.client.list(ref, query);
    const { items } = await list({ first: '2' });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['a', 'b'],
    );
    await assert.rejects(list({ first: 'two' }), { code: 400 });
  });

  it('are watched until the client goes away', async () => {
    const abort = new AbortController();
    const seen: (string | undefined)[] = [];
    for await (const event of server.client.watch(ref, { labelSelector: 'name!=d' }, abort.signal)) {
      if (event.type === 'ERROR') assert.fail(event.object.message);
      seen.push(event.object.metadata.name);
      break;
    }
    abort.abort();
    assert.deepEqual(seen, ['e']);
    while (watches > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('respond to reviews, which must fit their schema', async () => {
    const { status } = await review({ numbers: [1, 2] });
    assert.deepEqual(status, { sum: 3 });
    await assert.rejects(review({ numbers: ['a'] }), { message: /spec\.numbers\[0\]: Invalid value: "string"/ });
  });

  it('take over connections', async () => {
    const path = '/apis/metrics.example.com/v1/usages/a/proxy';
    assert.equal(await server.text(path), 'a  system:apiserver');
    assert.equal(await server.text(`${path}/x/y`), 'a x/y system:apiserver');
  });

  it('have the verbs of their functions in discovery', async () => {
    const { resources } = (await server.client.request('GET', '/apis/metrics.example.com/v1')) as {
      resources: { name: string; verbs: string[] }[];
    };
    assert.deepEqual(
      resources.map(({ name, verbs }) => [name, verbs.join()]),
      [
        ['sumreviews', 'create'],
        ['usages', 'get,list,watch'],
        ['usages/proxy', 'get'],
      ],
    );
  });

  it('need no store', async () => {
    const core = await CoreServer.start();
    const running = await createApiServer({ name: 'test', resources: [usages] }).start(flagsOf(core), {
      log: () => undefined,
    });
    await running.ready();
    await running.close();
    core.close();
  });

  describe('made with the clients of the server', () => {
    const other = new TestApiServer({
      resources: ({ core }) => [
        defineResource({
          ...{ group: 'metrics.example.com', version: 'v1', kind: 'Usage', plural: 'usages', scope: 'Cluster' },
          schema: Type.Object({}),
          computed: {
            list: async ({ signal }) =>
              (await core.list({ group: '', version: 'v1', resource: 'namespaces' }, {}, { signal })).items.map(
                ({ metadata: { name } }) => ({ metadata: { name: `of-${name}` } }),
              ),
          },
        }),
      ],
    });

    it('read the core API', async () => {
      const { items } = await other.client.list(ref);
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name),
        ['of-default'],
      );
    });
  });
});

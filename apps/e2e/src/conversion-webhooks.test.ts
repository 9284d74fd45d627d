import assert from 'node:assert/strict';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';
import { openFrames } from './streams.ts';
import { startWebhooks, type ReviewRequest, type TestWebhooks } from './webhook-server.ts';

interface Gadget {
  apiVersion: string;
  kind: string;
  metadata: { name?: string; uid?: string; labels?: Record<string, string> };
  spec?: { size?: string; width?: number; height?: number };
}
interface ConversionRequest extends ReviewRequest {
  desiredAPIVersion: string;
  objects: Gadget[];
}

/** v1 has a `size` such as `3x4`; v2 has `width` and `height`. */
function convert(object: Gadget, apiVersion: string): Gadget {
  const { size = '0x0', width = 0, height = 0 } = object.spec ?? {};
  const [w, h] = size.split('x').map(Number);
  const spec = apiVersion.endsWith('/v2') ? { width: w ?? 0, height: h ?? 0 } : { size: `${width}x${height}` };
  const labels = { ...object.metadata.labels, converted: 'yes' };
  return { ...object, apiVersion, metadata: { ...object.metadata, labels }, spec };
}

const definition = (clientConfig: unknown, storage: 'v1' | 'v2') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: storage === 'v1',
        selectableFields: [{ jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } },
          },
        },
      },
      {
        name: 'v2',
        served: true,
        storage: storage === 'v2',
        selectableFields: [{ jsonPath: '.spec.width' }, { jsonPath: '.spec.height' }],
        subresources: { scale: { specReplicasPath: '.spec.width', statusReplicasPath: '.status.width' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { width: { type: 'integer' }, height: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
});

describe('conversion webhooks of CRDs', function () {
  this.timeout(480_000);
  let chain: Chain;
  let kubectl: Kubectl;
  let webhooks: TestWebhooks;
  let clientConfig: { url: string; caBundle: string };
  let convertReview: (request: ConversionRequest) => Record<string, unknown>;
  const seen: ConversionRequest[] = [];
  const succeed = (request: ConversionRequest) => ({
    result: { status: 'Success' },
    convertedObjects: request.objects.map((object) => convert(object, request.desiredAPIVersion)),
  });
  const path = (version: string, name = '') =>
    `/apis/example.com/${version}/namespaces/default/gadgets${name === '' ? '' : `/${name}`}`;
  const get = async (version: string, name: string) => (await call(chain, 'GET', path(version, name))).json<Gadget>();

  before(async function () {
    requireKubectl(this);
    convertReview = succeed;
    webhooks = await startWebhooks();
    webhooks.handlers.set('/convert', (request) => {
      const asked = request as ConversionRequest;
      seen.push(asked);
      return convertReview(asked);
    });
    clientConfig = webhooks.clientConfig('/convert');
    chain = await startChain({ args: ['--controllers=-*'] });
    kubectl = new Kubectl(chain);
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(definition(clientConfig, 'v1')));
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/gadgets.example.com', '--timeout=120s']);
    for (const version of ['v1', 'v2'])
      await waitFor(
        async () => (await call(chain, 'GET', path(version))).status === 200,
        10_000,
        () => 'gadgets are not served',
      );
  });
  after(async () => {
    webhooks?.close();
    await chain?.stop();
  });
  beforeEach(() => {
    convertReview = succeed;
    seen.length = 0;
  });

  const gadget = (version: string, name: string, spec: Gadget['spec']) => ({
    apiVersion: `example.com/${version}`,
    kind: 'Gadget',
    metadata: { name },
    spec,
  });

  it('serve every version of an object written in one', async () => {
    await kubectl.ok(['apply', '-f', '-'], JSON.stringify(gadget('v1', 'a', { size: '3x4' })));
    assert.deepEqual((await get('v2', 'a')).spec, { width: 3, height: 4 });
    const created = await call(chain, 'POST', path('v2'), {
      body: JSON.stringify(gadget('v2', 'b', { width: 5, height: 6 })),
    });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.json<Gadget>().spec, { width: 5, height: 6 });
    assert.deepEqual((await get('v1', 'b')).spec, { size: '5x6' });
  });

  it('change only labels and annotations of the metadata', async () => {
    convertReview = (request) => ({
      result: { status: 'Success' },
      convertedObjects: request.objects.map((object) => {
        const converted = convert(object, request.desiredAPIVersion);
        return { ...converted, metadata: { ...converted.metadata, finalizers: ['x.example.com/y'], generation: 99 } };
      }),
    });
    await call(chain, 'POST', path('v1'), { body: JSON.stringify(gadget('v1', 'meta', { size: '1x1' })) });
    const shown = (await get('v2', 'meta')).metadata as Record<string, unknown>;
    assert.equal(shown.finalizers, undefined);
    assert.equal(shown.generation, 1);
    assert.deepEqual(shown.labels, { converted: 'yes' });
  });

  it('are called once for a list', async () => {
    for (const name of ['l1', 'l2', 'l3'])
      await call(chain, 'POST', path('v1'), { body: JSON.stringify(gadget('v1', name, { size: '1x2' })) });
    seen.length = 0;
    const list = (await call(chain, 'GET', path('v2'))).json<{ items: Gadget[] }>();
    assert.ok(list.items.length >= 3);
    assert.ok(list.items.every((item) => item.apiVersion === 'example.com/v2' && item.spec?.width !== undefined));
    assert.equal(seen.length, 1);
    // Converted objects are cached.
    await call(chain, 'GET', path('v2'));
    assert.equal(seen.length, 1);
  });

  it('convert the objects of a large list one after the other', async () => {
    const large = (version: string, query = '') => `${path(version).replace('/default/', '/large/')}${query}`;
    await call(chain, 'POST', '/api/v1/namespaces', { body: JSON.stringify({ metadata: { name: 'large' } }) });
    for (let i = 0; i < 10; i++) {
      const body = JSON.stringify(gadget('v1', `big-${i}`, { size: `${i}x4${' '.repeat(1_000_000)}` }));
      assert.equal((await call(chain, 'POST', large('v1'), { body })).status, 201);
    }
    seen.length = 0;
    convertReview = (request) =>
      request.objects.some(({ metadata }) => metadata.name === 'big-7')
        ? { result: { status: 'Failed', message: 'not this one' } }
        : succeed(request);
    const refused = await call(chain, 'GET', large('v2'));
    assert.equal(refused.status, 500);
    assert.match(refused.text, /conversion webhook for example.com\/v1, Kind=Gadget failed: not this one/);
    assert.equal(seen.length, 8);
    convertReview = succeed;
    const widths = async (query?: string) =>
      (await call(chain, 'GET', large('v2', query))).json<{ items: Gadget[] }>().items.map(({ spec }) => spec?.width);
    assert.deepEqual(await widths(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(await widths('?labelSelector=converted'), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(await widths('?fieldSelector=spec.width%3D3'), [3]);
    assert.equal(seen.length, 11, 'converted objects are cached');
  });

  it('serve updates, patches, apply and deletes through another version', async () => {
    const merged = await call(chain, 'PATCH', path('v2', 'a'), {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { height: 9 } }),
    });
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual((await get('v1', 'a')).spec, { size: '3x9' });
    await kubectl.ok(
      ['apply', '--server-side', '-f', '-'],
      JSON.stringify(gadget('v2', 'ssa', { width: 1, height: 2 })),
    );
    assert.deepEqual((await get('v1', 'ssa')).spec, { size: '1x2' });
    await kubectl.ok(
      ['apply', '--server-side', '--force-conflicts', '-f', '-'],
      JSON.stringify(gadget('v1', 'ssa', { size: '7x8' })),
    );
    assert.deepEqual((await get('v2', 'ssa')).spec, { width: 7, height: 8 });
    assert.equal((await call(chain, 'DELETE', path('v2', 'b'))).status, 200);
  });

  it('are called before objects are selected, in lists, watches and deletes of a version', async () => {
    const create = (name: string, size: string) =>
      call(chain, 'POST', path('v1'), { body: JSON.stringify(gadget('v1', name, { size })) });
    const selected = async (version: string, query: string) => {
      const response = await call(chain, 'GET', `${path(version)}?${query}`);
      assert.equal(response.status, 200, response.text);
      return response.json<{ items: Gadget[]; metadata: { continue?: string } }>();
    };
    const names = ({ items }: { items: Gadget[] }) => items.map(({ metadata }) => metadata.name);
    const watched = await openFrames(chain, `${path('v2')}?watch=true&fieldSelector=spec.width%3D71`);
    const nextEvent = async () => {
      const frame = await watched.next();
      assert.ok(frame !== undefined, 'the watch has ended');
      return JSON.parse(frame.toString()) as {
        type: string;
        object: Gadget & { metadata: { resourceVersion: string } };
      };
    };
    for (const [name, size] of [
      ['s1', '71x1'],
      ['s2', '72x1'],
      ['s3', '71x2'],
      ['s4', '71x3'],
    ] as const)
      assert.equal((await create(name, size)).status, 201);

    assert.deepEqual(names(await selected('v1', 'fieldSelector=spec.size%3D71x1')), ['s1']);
    assert.deepEqual(names(await selected('v2', 'fieldSelector=spec.width%3D71,spec.height!%3D2')), ['s1', 's4']);
    assert.deepEqual(names(await selected('v2', 'fieldSelector=spec.width%3D71,metadata.name%3Ds3')), ['s3']);
    assert.deepEqual(names(await selected('v1', 'labelSelector=converted%3Dyes&fieldSelector=spec.size%3D71x1')), []);
    const labelled = await selected('v2', 'labelSelector=converted%3Dyes&fieldSelector=spec.width%3D71');
    assert.deepEqual(names(labelled), ['s1', 's3', 's4']);
    const unknown = await call(chain, 'GET', `${path('v2')}?fieldSelector=spec.size%3D71x1`);
    assert.equal(unknown.json<{ message: string }>().message, 'field label not supported: spec.size');

    const paged: (string | undefined)[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const page = await selected('v2', `fieldSelector=spec.width%3D71&limit=2&continue=${token}`);
      assert.ok(page.items.length <= 2);
      paged.push(...names(page));
      token = page.metadata.continue || undefined;
    }
    assert.deepEqual(paged, ['s1', 's3', 's4']);

    const resize = (name: string, size: string) =>
      call(chain, 'PATCH', path('v1', name), {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ spec: { size } }),
      });
    await resize('s1', '71x9');
    await resize('s2', '71x8');
    const left = (await resize('s3', '70x2')).json<Gadget & { metadata: { resourceVersion: string } }>();
    await call(chain, 'DELETE', path('v1', 's4'));
    const events = [];
    while (events.length < 7) events.push(await nextEvent());
    watched.close();
    assert.deepEqual(
      events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''} ${object.spec?.height ?? ''}`),
      ['ADDED s1 1', 'ADDED s3 2', 'ADDED s4 3', 'MODIFIED s1 9', 'ADDED s2 8', 'DELETED s3 2', 'DELETED s4 3'],
    );
    // An object that is no longer selected is told in its last selected state, with the revision of the change.
    assert.equal(events[5]?.object.metadata.resourceVersion, left.metadata.resourceVersion);
    assert.ok(events.every(({ object }) => object.apiVersion === 'example.com/v2'));

    const deleted = await call(chain, 'DELETE', `${path('v2')}?fieldSelector=spec.width%3D71`);
    assert.equal(deleted.status, 200, deleted.text);
    assert.deepEqual(names(await selected('v2', 'fieldSelector=spec.width%3D71')), []);
    assert.equal((await call(chain, 'GET', path('v1', 's3'))).status, 200);
  });

  it('fail the request with the reason', async () => {
    await call(chain, 'POST', path('v1'), { body: JSON.stringify(gadget('v1', 'broken', { size: '1x1' })) });
    convertReview = () => ({ result: { status: 'Failure', message: 'no such size' } });
    const failed = await call(chain, 'GET', path('v2', 'broken'));
    assert.equal(failed.status, 500);
    const { message } = failed.json<{ message: string }>();
    assert.equal(message, 'conversion webhook for example.com/v1, Kind=Gadget failed: no such size');
    const scale = await call(chain, 'GET', `${path('v2', 'broken')}/scale`);
    assert.equal(scale.status, 500);
    assert.equal(scale.json<{ message: string }>().message, message);
    convertReview = () => ({ result: { status: 'Success' }, convertedObjects: [] });
    assert.equal(
      (await call(chain, 'GET', `${path('v2', 'broken')}/scale`)).json<{ message: string }>().message,
      'conversion webhook for example.com/v1, Kind=Gadget returned 0 objects, expected 1',
    );
    convertReview = succeed;
    const scaled = (await call(chain, 'GET', `${path('v2', 'broken')}/scale`)).json<{ spec: unknown }>();
    assert.deepEqual(scaled.spec, { replicas: 1 });
    convertReview = () => ({ result: { status: 'Failure', message: 'no such size' } });
    assert.equal((await call(chain, 'GET', path('v1', 'broken'))).status, 200);
  });

  it('delete nothing in a version to which it cannot be converted', async () => {
    for (const name of ['stays', 'stays-too']) {
      assert.equal(
        (await call(chain, 'POST', path('v1'), { body: JSON.stringify(gadget('v1', name, { size: '1x1' })) })).status,
        201,
      );
    }
    convertReview = () => ({ result: { status: 'Failure', message: 'no converter today' }, convertedObjects: [] });
    try {
      for (const [target, query] of [
        [path('v2', 'stays'), ''],
        [path('v2', 'stays'), '?dryRun=All'],
        [path('v2'), '?fieldSelector=metadata.name=stays-too'],
      ] as const) {
        const refused = await call(chain, 'DELETE', `${target}${query}`);
        assert.equal(refused.status, 500, target);
        assert.match(refused.json<{ message: string }>().message, /no converter today/);
      }
      for (const name of ['stays', 'stays-too']) assert.equal((await get('v1', name)).metadata.name, name);
      assert.equal((await call(chain, 'DELETE', path('v1', 'stays'))).status, 200);
    } finally {
      convertReview = succeed;
    }
    assert.equal((await call(chain, 'DELETE', path('v2', 'stays-too'))).status, 200);
    assert.equal((await call(chain, 'GET', path('v1', 'stays-too'))).status, 404);
    assert.equal((await call(chain, 'DELETE', path('v2', 'stays-too'))).status, 404);
  });

  it('fail the request when the converted object is another one', async () => {
    const changes: [(object: Gadget) => unknown, string][] = [
      [
        (o) => ({ ...o, apiVersion: 'example.com/v9' }),
        'invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v9)',
      ],
      [(o) => ({ ...o, kind: 'Zed' }), 'invalid object at index 0: invalid kind (expected Gadget, received Zed)'],
      [(o) => ({ ...o, metadata: { ...o.metadata, name: 'z' } }), 'invalid object: must have the same name: odd != z'],
      [
        (o) => ({ ...o, metadata: { ...o.metadata, labels: 'x' } }),
        'invalid metadata: invalid metadata.labels of type string in converted object',
      ],
      [
        (o) => ({ ...o, metadata: { ...o.metadata, labels: { a: 1 } } }),
        'invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
      ],
    ];
    await call(chain, 'POST', path('v1'), { body: JSON.stringify(gadget('v1', 'odd', { size: '1x1' })) });
    for (const [change, expected] of changes) {
      convertReview = (request) => ({
        result: { status: 'Success' },
        convertedObjects: request.objects.map((object) => change(convert(object, request.desiredAPIVersion))),
      });
      const { message } = (await call(chain, 'GET', path('v2', 'odd'))).json<{ message: string }>();
      assert.equal(message, `conversion webhook for example.com/v1, Kind=Gadget returned ${expected}`);
    }
    for (const [converted, expected] of [
      [{}, "Object 'Kind' is missing in '{}'"],
      ['x', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ] as const) {
      convertReview = () => ({ result: { status: 'Success' }, convertedObjects: [converted] });
      assert.equal((await call(chain, 'GET', path('v2', 'odd'))).json<{ message: string }>().message, expected);
    }
  });

  it('convert objects stored in a former storage version', async () => {
    await kubectl.ok(['apply', '-f', '-'], JSON.stringify(definition(clientConfig, 'v2')));
    await waitFor(
      async () => (await get('v2', 'a')).spec?.width === 3,
      10_000,
      () => 'the storage version has not changed',
    );
    assert.deepEqual((await get('v1', 'a')).spec, { size: '3x9' });
    const patched = await call(chain, 'PATCH', path('v2', 'a'), {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { width: 8 } }),
    });
    assert.equal(patched.status, 200, patched.text);
    assert.deepEqual((await get('v1', 'a')).spec, { size: '8x9' });
  });
});

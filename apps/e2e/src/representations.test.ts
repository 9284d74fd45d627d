import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { builtinProtobuf, builtinType } from '@apichain/kinds';
import { type Chain, startChain } from './chain.ts';
import { type HttpResponse, call } from './http.ts';
import { openFrames } from './streams.ts';
import { defineWidgets, widgets } from './definitions.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const configMaps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const metadataOnly = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;

interface Decoded {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Record<string, unknown>;
  readonly items?: readonly Decoded[];
  readonly [field: string]: unknown;
}

const decoded = (response: Pick<HttpResponse, 'body'>): Decoded =>
  builtinProtobuf.decodeCanonical(response.body) as Decoded;

const isProtobuf = (response: HttpResponse): void =>
  assert.equal(response.headers['content-type'], protobuf, response.text.slice(0, 300));

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
      },
    },
  },
};

describe('representations through the whole chain', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain();
    await defineWidgets(chain);
  });
  after(() => chain?.stop());

  const inProtobuf = (method: string, path: string, object?: object, contentType = protobuf): Promise<HttpResponse> =>
    call(chain, method, path, {
      headers: { accept: protobuf, ...(object === undefined ? {} : { 'content-type': contentType }) },
      ...(object === undefined
        ? {}
        : {
            body:
              contentType === protobuf
                ? builtinProtobuf.encode(object as Parameters<typeof builtinProtobuf.encode>[0])
                : JSON.stringify(object),
          }),
    });

  describe('protobuf', () => {
    it('serves discovery and OpenAPI, with the ETag of the same document in JSON', async () => {
      const as = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const get = (type: string, headers: Record<string, string> = {}) =>
        call(chain, 'GET', '/apis', { headers: { accept: `${type}${as}`, ...headers } });
      const inJson = await get('application/json');
      const response = await get(protobuf);
      assert.equal(response.headers['content-type'], `${protobuf}${as}`);
      assert.deepEqual(decoded(response), inJson.json());
      assert.equal(response.headers['etag'], inJson.headers['etag']);
      assert.equal(response.headers['vary'], 'Accept');
      const same = await get(protobuf, { 'if-none-match': String(response.headers['etag']) });
      assert.equal(same.status, 304);
      assert.equal(same.body.length, 0);
    });

    it('creates, reads, updates, patches, lists and deletes', async () => {
      const created = await inProtobuf('POST', deployments, deployment);
      assert.equal(created.status, 201, created.text);
      isProtobuf(created);
      const object = decoded(created);
      assert.equal(object.kind, 'Deployment');
      assert.equal((object['spec'] as { revisionHistoryLimit: number }).revisionHistoryLimit, 10);

      const read = await inProtobuf('GET', `${deployments}/web`);
      isProtobuf(read);
      assert.deepEqual(decoded(read), (await call(chain, 'GET', `${deployments}/web`)).json());

      const updated = await inProtobuf('PUT', `${deployments}/web`, {
        ...object,
        spec: { ...(object['spec'] as object), replicas: 5 },
      });
      assert.equal(updated.status, 200, updated.text);
      assert.equal((decoded(updated)['spec'] as { replicas: number }).replicas, 5);
      assert.equal(decoded(updated).metadata['generation'], 2);

      const patched = await inProtobuf(
        'PATCH',
        `${deployments}/web`,
        { metadata: { annotations: { note: 'é' } } },
        'application/strategic-merge-patch+json',
      );
      assert.equal(patched.status, 200, patched.text);
      isProtobuf(patched);
      assert.deepEqual(decoded(patched).metadata['annotations'], { note: 'é' });

      const scale = await inProtobuf('GET', `${deployments}/web/scale`);
      isProtobuf(scale);
      assert.deepEqual(decoded(scale)['spec'], { replicas: 5 });

      for (const query of ['', '?resourceVersion=0', '?limit=1']) {
        const list = await inProtobuf('GET', deployments + query);
        isProtobuf(list);
        const { kind, items } = decoded(list);
        assert.equal(kind, 'DeploymentList');
        assert.deepEqual(
          items?.map((item) => item.metadata['name']),
          ['web'],
        );
      }

      const deleted = await inProtobuf('DELETE', `${deployments}/web`, {
        apiVersion: 'apps/v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
      });
      assert.equal(deleted.status, 200, deleted.text);
      isProtobuf(deleted);
      assert.equal(decoded(deleted).kind, 'Status');
      assert.equal(decoded(deleted)['status'], 'Success');
    });

    it('returns errors as a Status', async () => {
      const absent = await inProtobuf('GET', `${configMaps}/absent`);
      isProtobuf(absent);
      assert.equal(absent.status, 404);
      assert.equal(decoded(absent)['message'], 'configmaps "absent" not found');
      assert.equal((decoded(absent)['details'] as { kind: string }).kind, 'configmaps');

      const invalid = await inProtobuf('POST', configMaps, configMap('Not_Valid', {}));
      assert.equal(invalid.status, 422, invalid.text);
      isProtobuf(invalid);
      assert.equal(decoded(invalid)['reason'], 'Invalid');

      const broken = await call(chain, 'POST', configMaps, {
        headers: { 'content-type': protobuf, accept: protobuf },
        body: 'no protobuf',
      });
      assert.equal(broken.status, 400, broken.text);
      isProtobuf(broken);
    });

    it('returns 406 for a custom resource, its metadata and its errors with protobuf', async () => {
      const created = await call(chain, 'POST', widgets, {
        body: JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' }, spec: {} }),
      });
      assert.equal(created.status, 201, created.text);
      for (const path of [`${widgets}/one`, widgets]) {
        const refused = await inProtobuf('GET', path);
        assert.equal(refused.status, 406, refused.text);
      }
      const one = await call(chain, 'GET', `${widgets}/one`, { headers: { accept: metadataOnly } });
      assert.equal(one.status, 200, one.text);
      assert.equal(decoded(one).kind, 'PartialObjectMetadata');
      assert.equal(decoded(one).metadata['name'], 'one');
      const list = await call(chain, 'GET', widgets, {
        headers: { accept: metadataOnly.replace('Metadata', 'MetadataList') },
      });
      assert.equal(list.status, 200, list.text);
      assert.equal(decoded(list).kind, 'PartialObjectMetadataList');
      assert.equal(decoded(list).items?.[0]?.metadata['name'], 'one');
      const either = { accept: `${protobuf},application/json` };
      const absent = await call(chain, 'GET', `${widgets}/absent`, { headers: either });
      assert.equal(absent.status, 404);
      isProtobuf(absent);
      assert.equal(decoded(absent)['message'], 'widgets.example.com "absent" not found');
      for (const path of [`${widgets}/one`, widgets, `${widgets}?watch=1&timeoutSeconds=1`]) {
        const fallback = await call(chain, 'GET', path, { headers: either });
        assert.equal(fallback.status, 200, fallback.text);
        assert.equal(fallback.headers['content-type'], 'application/json');
      }
    });

    it('watches in frames', async () => {
      const eventType = builtinType({ group: '', version: 'v1', kind: 'WatchEvent' });
      assert.ok(eventType !== undefined);
      const decodeFrame = (frame: Buffer | undefined) => {
        assert.ok(frame !== undefined);
        const event: Record<string, unknown> = builtinProtobuf.decodeMessage(frame.subarray(4), eventType);
        return event as { type: string; object: Decoded };
      };
      const start = decoded(await inProtobuf('GET', configMaps)).metadata['resourceVersion'] as string;
      const frames = await openFrames(chain, `${configMaps}?watch=1&resourceVersion=${start}`, { accept: protobuf });
      assert.equal(frames.response.headers['content-type'], `${protobuf};stream=watch`);
      await inProtobuf('POST', configMaps, configMap('watched', { a: '1' }));
      const added = decodeFrame(await frames.next());
      assert.equal(added.type, 'ADDED');
      assert.deepEqual(added.object['data'], { a: '1' });
      await call(chain, 'DELETE', `${configMaps}/watched`);
      assert.equal(decodeFrame(await frames.next()).type, 'DELETED');
      frames.close();

      const partial = await openFrames(chain, `${widgets}?watch=1&resourceVersion=0`, { accept: metadataOnly });
      const first = decodeFrame(await partial.next());
      assert.equal(first.object.kind, 'PartialObjectMetadata');
      partial.close();
      const whole = await inProtobuf('GET', `${widgets}?watch=1&resourceVersion=0`);
      assert.equal(whole.status, 406, 'a custom resource has no protobuf form');
    });

    it('watches changes in a version that is not the storage version', async () => {
      const at = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
      const path = `${at('v1')}?watch=1&timeoutSeconds=10`;
      const watches = await Promise.all(
        ['application/json', protobuf].map((accept) => openFrames(chain, path, { accept })),
      );
      for (const name of ['first', 'second']) {
        const scaleTargetRef = { kind: 'Deployment', name: 'scaled', apiVersion: 'apps/v1' };
        const body = { metadata: { name }, spec: { maxReplicas: 3, scaleTargetRef } };
        const created = await call(chain, 'POST', at('v2'), { body: JSON.stringify(body) });
        assert.equal(created.status, 201, created.text);
        for (const watch of watches) {
          const frame = (await watch.next())?.toString('latin1') ?? '';
          assert.ok(
            ['ADDED', 'autoscaling/v1', name, 'scaled'].every((part) => frame.includes(part)),
            frame,
          );
        }
      }
      for (const watch of watches) watch.close();
    });

    it('reads objects written as JSON, and the reverse', async () => {
      const data = { text: 'ünïcode \u0001 " \\ \u2028 😀', empty: '' };
      const object = {
        ...configMap('both', data),
        binaryData: { bytes: Buffer.from([0, 255, 128]).toString('base64') },
      };
      assert.equal((await inProtobuf('POST', configMaps, object)).status, 201);
      const json = (await call(chain, 'GET', `${configMaps}/both`)).json<typeof object>();
      assert.deepEqual(json.data, data);
      assert.deepEqual(json.binaryData, object.binaryData);
      assert.deepEqual(decoded(await inProtobuf('GET', `${configMaps}/both`)), json);
    });
  });

  describe('Accept', () => {
    const cases: readonly [accept: string, status: number, contentType: string][] = [
      ['', 200, 'application/json'],
      ['*/*', 200, 'application/json'],
      ['application/*', 406, 'application/json'],
      [`application/json;q=0.5,${protobuf};q=0.9`, 200, protobuf],
      [`${protobuf};q=0.1,application/yaml;q=0.2,application/json;q=0.15`, 200, 'application/yaml'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 200, 'application/json'],
      [`application/json;as=Nonsense;g=meta.k8s.io;v=v1,${protobuf}`, 200, protobuf],
      ['application/json;as=Table;g=meta.k8s.io;v=v1,application/json', 200, 'application/json'],
      ['image/png', 406, 'application/json'],
    ];
    for (const [accept, status, contentType] of cases)
      it(`${accept === '' ? '(none)' : accept}: ${status}`, async () => {
        for (const path of ['/api/v1/namespaces/default', '/api/v1/namespaces']) {
          const response = await call(chain, 'GET', path, { headers: accept === '' ? {} : { accept } });
          assert.equal(response.status, status, response.text);
          assert.equal(response.headers['content-type'], contentType);
        }
      });

    it('YAML is read and written, but not watched', async () => {
      const yaml =
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n  b: |\n    two\n    lines\n';
      const headers = { 'content-type': 'application/yaml', accept: 'application/yaml' };
      const created = await call(chain, 'POST', configMaps, { headers, body: yaml });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.headers['content-type'], 'application/yaml');
      assert.match(
        created.text,
        /^apiVersion: v1\ndata:\n {2}a: "1"\n {2}b: \|\n {4}two\n {4}lines\nkind: ConfigMap\n/,
      );
      const events = await openFrames(chain, `${configMaps}?watch=1&fieldSelector=metadata.name%3Dyaml`, {
        accept: 'application/yaml',
      });
      assert.equal(events.response.statusCode, 406);
      events.close();
    });
  });

  it('Tables describe their columns', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    for (const [path, described] of [
      ['/api/v1/namespaces', { Name: /unique within a namespace/, Status: /^The status of the namespace$/ }],
      ['/apis/apps/v1/deployments', { Available: /minReadySeconds/, Age: /Populated by the system/ }],
      [widgets, { Name: /unique within a namespace/ }],
      ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { 'Created At': /Populated by the system/ }],
      ['/apis/apiregistration.k8s.io/v1/apiservices', { Available: /^Whether this service is available\.$/ }],
    ] as const) {
      const response = await call(chain, 'GET', path, { headers: { accept } });
      const { columnDefinitions } = response.json<{ columnDefinitions: { name: string; description: string }[] }>();
      const texts = new Map(columnDefinitions.map(({ name, description }) => [name, description]));
      for (const [name, pattern] of Object.entries(described)) assert.match(texts.get(name) ?? '', pattern, path);
    }
  });

  it('OpenAPI documents describe types, fields and operations', async () => {
    interface Schema {
      readonly description?: string;
      readonly enum?: readonly string[];
      readonly properties?: Record<string, Schema>;
    }
    const v2 = (await call(chain, 'GET', '/openapi/v2')).json<{ definitions: Record<string, Schema> }>();
    const core = (await call(chain, 'GET', '/openapi/v3/api/v1')).json<{
      components: { schemas: Record<string, Schema> };
    }>();
    for (const schemas of [v2.definitions, core.components.schemas]) {
      const container = schemas['io.k8s.api.core.v1.Container'];
      assert.match(container?.description ?? '', /application container/);
      const policy = container?.properties?.['imagePullPolicy'];
      assert.match(policy?.description ?? '', /\n\nPossible enum values:\n - `"Always"` means/);
      assert.deepEqual(policy?.enum, ['Always', 'IfNotPresent', 'Never']);
      const pods = schemas['io.k8s.api.core.v1.PodList'];
      assert.match(pods?.properties?.['items']?.description ?? '', /^List of pods\./);
      assert.match(pods?.properties?.['kind']?.description ?? '', /In CamelCase/);
    }
    const undescribed = Object.entries(v2.definitions).filter(([, { description }]) => description === undefined);
    assert.deepEqual(
      undescribed.map(([name]) => name).filter((name) => name.startsWith('io.k8s.')),
      // The packages that the descriptions come from have none for this type.
      ['io.k8s.apimachinery.pkg.api.resource.Quantity'],
    );
    assert.match(
      v2.definitions['com.example.v1.Widget']?.properties?.['metadata']?.description ?? '',
      /^Standard object/,
    );
  });

  it('pretty output is for clients that request it, browsers and curl', async () => {
    const path = '/api/v1/namespaces/default';
    const read = (query: string, agent: string) =>
      call(chain, 'GET', path + query, { headers: { 'user-agent': agent } }).then(({ text }) => text);
    const plain = await read('', 'client/1');
    const pretty = `${JSON.stringify(JSON.parse(plain), undefined, 2)}`;
    assert.equal(plain, `${JSON.stringify(JSON.parse(plain))}\n`);
    assert.equal(await read('?pretty=true', 'client/1'), pretty);
    assert.equal(await read('', 'curl/8.0'), pretty);
    assert.equal(await read('?pretty=false', 'Mozilla/5.0'), plain);
  });

  it('gzip applies only to responses above 128 KiB', async () => {
    for (const [name, length] of [
      ['small', 100_000],
      ['large', 140_000],
    ] as const) {
      const body = JSON.stringify(configMap(name, { text: 'x'.repeat(length) }));
      assert.equal((await call(chain, 'POST', configMaps, { body })).status, 201);
      const plain = await call(chain, 'GET', `${configMaps}/${name}`);
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const accept of ['application/json', protobuf]) {
        const zipped = await call(chain, 'GET', `${configMaps}/${name}`, {
          headers: { 'accept-encoding': 'gzip', accept },
        });
        assert.equal(zipped.headers['content-encoding'], name === 'large' ? 'gzip' : undefined, accept);
        if (name !== 'large') continue;
        assert.equal(zipped.headers['vary'], 'Accept-Encoding');
        const body = gunzipSync(zipped.body);
        if (accept === protobuf) assert.equal(decoded({ body }).kind, 'ConfigMap');
        else assert.equal(body.toString('utf8'), plain.text);
      }
    }
    const watch = await openFrames(chain, `${configMaps}?watch=1&resourceVersion=0`, { 'accept-encoding': 'gzip' });
    assert.equal(watch.response.headers['content-encoding'], undefined);
    watch.close();
  });
});

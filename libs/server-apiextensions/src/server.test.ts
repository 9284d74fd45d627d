import assert from 'node:assert/strict';
import type { Plain } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type GenericApiServer } from '@apichain/apiserver';
import { parseFlags } from '@apichain/apiserver-options';
import { startTestEtcd, type TestEtcd } from '@apichain/etcd-client/etcd.fixture';
import { apiExtensionsFlags, completeOptions } from './options.ts';
import { createApiExtensionsServer } from './server.ts';

interface Received {
  readonly status: number;
  readonly json: Plain;
}

const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

function call(
  port: number,
  method: string,
  path: string,
  body?: unknown,
  more?: Record<string, string>,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer secret',
      'content-type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
      ...more,
    };
    const request = https.request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        resolve({ status: response.statusCode ?? 0, json: isJson ? (JSON.parse(text) as Plain) : {} });
      });
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      storage: name === 'v1',
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 3 } } },
          },
        },
      },
    })),
  },
};
const widget = (name: string, spec: Plain) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('apiextensions on etcd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apichain-apiextensions-'));
  const servers: GenericApiServer[] = [];
  const ports: number[] = [];
  let etcd: TestEtcd | undefined;

  before(async () => {
    etcd = await startTestEtcd();
    writeFileSync(join(folder, 'tokens.csv'), 'secret,admin,1,system:masters\n');
    for (let i = 0; i < 2; i++) {
      const parsed = parseFlags(apiExtensionsFlags, [
        `--etcd-servers=${etcd.url}`,
        '--secure-port=0',
        '--bind-address=127.0.0.1',
        `--token-auth-file=${join(folder, 'tokens.csv')}`,
        '--disable-admission-plugins=NamespaceLifecycle',
        '--v=0',
      ]);
      const server = createApiExtensionsServer(await completeOptions(parsed, (error) => assert.fail(error)));
      servers.push(server);
      ports.push((await server.listen()).port);
    }
  });

  after(async () => {
    for (const server of servers) await server.shutdown();
    agent.destroy();
    await etcd?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves the lifecycle of a CRD, equally on two servers', async () => {
    const [first = 0, second = 0] = ports;
    assert.equal((await call(first, 'POST', crds, crd)).status, 201);
    for (const port of ports) await until(async () => (await call(port, 'GET', widgets)).status === 200, 'serving');

    const created = await call(first, 'POST', widgets, widget('a', { extra: 1 }));
    assert.deepEqual(created.json.spec, { size: 3 }, 'pruned and defaulted');
    const refused = await call(first, 'POST', widgets, widget('b', { size: 0 }));
    assert.equal(refused.status, 422);
    assert.match(String(refused.json.message), /spec.size in body should be greater than or equal to 1/);

    const elsewhere = await call(second, 'GET', `${widgets.replace('/v1/', '/v2/')}/a`);
    assert.equal(elsewhere.json.apiVersion, 'example.com/v2');
    const group = await call(second, 'GET', '/apis/example.com');
    assert.deepEqual((group.json.preferredVersion as Plain).version, 'v2');
    assert.equal((await call(first, 'GET', '/openapi/v3/apis/example.com/v1')).status, 200);

    const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    const { items } = (await call(first, 'GET', '/apis', undefined, aggregated)).json as {
      items: { metadata: Plain; versions: { version: string; resources: Plain[] }[] }[];
    };
    const custom = items.find(({ metadata }) => metadata.name === 'example.com')?.versions[0];
    const { responseKind } = custom?.resources[0] ?? {};
    assert.deepEqual(responseKind, { group: 'example.com', version: 'v2', kind: 'Widget' });

    const discovered = await call(second, 'GET', '/apis/apiextensions.k8s.io/v1');
    assert.equal(((discovered.json.resources as Plain[])[0] ?? {}).storageVersionHash, 'jfWCUB31mvA=');
    const tall = await call(first, 'POST', widgets, widget('b', { size: 9223372036854775808 }));
    assert.match(String(tall.json.message), /spec.size in body must be of type integer: "number"/);

    const scale = `${widgets}/a/scale`;
    const scaled = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 7 } };
    const foreign = await call(first, 'PUT', scale, { ...scaled, apiVersion: 'v1' });
    assert.equal(
      foreign.json.message,
      'no kind is registered for the type v1.Scale in scheme "pkg/apiserver/customresource_handler.go:781"',
    );
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const table = (await call(first, 'GET', scale, undefined, { accept })).json;
    assert.deepEqual(
      (table.columnDefinitions as Plain[]).map(({ name }) => name),
      ['Name', 'Desired', 'Available', 'Age'],
    );
    assert.deepEqual(((table.rows as Plain[])[0]?.cells as unknown[]).slice(0, 3), ['a', 3, 0]);
    const applied = await call(first, 'PATCH', `${scale}?fieldManager=m&force=true`, scaled);
    assert.equal(
      applied.json.message,
      'failed to convert new object (/a; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1',
    );

    const held = { ...widget('held', {}), metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    assert.equal((await call(first, 'POST', widgets, held)).status, 201);
    // Node sets no Content-Length for the body of a DELETE.
    const asked = (options: Plain) =>
      call(second, 'DELETE', `${crds}/widgets.example.com`, options, {
        'content-length': String(JSON.stringify(options).length),
      });
    const unmet = await asked({ preconditions: { uid: 'x' } });
    assert.match(String(unmet.json.message), /: Precondition failed: UID in precondition: x, UID in object meta: /);
    const shown = (await asked({ dryRun: ['All'] })).json.metadata as Plain;
    assert.deepEqual(shown.finalizers, ['customresourcecleanup.apiextensions.k8s.io']);
    assert.equal((await call(second, 'DELETE', `${crds}/widgets.example.com`)).status, 200);
    await until(async () => {
      const [resource] = (await call(first, 'GET', '/apis/example.com/v1')).json.resources as Plain[];
      return JSON.stringify(resource?.verbs) === '["delete","deletecollection","get","list","watch"]';
    }, 'the end of writes');
    const released = { metadata: { finalizers: null } };
    const merge = { 'content-type': 'application/merge-patch+json' };
    assert.equal((await call(first, 'PATCH', `${widgets}/held`, released, merge)).status, 200);
    await until(async () => (await call(first, 'GET', `${crds}/widgets.example.com`)).status === 404, 'removal');
    for (const port of ports)
      await until(async () => (await call(port, 'GET', widgets)).status === 404, 'the end of serving');

    assert.equal((await call(first, 'POST', crds, crd)).status, 201);
    await until(async () => (await call(first, 'GET', widgets)).status === 200, 'serving again');
    assert.deepEqual((await call(first, 'GET', widgets)).json.items, [], 'instances went with the first CRD');
  });

  it('shows a CRD with a finalizer of its own as terminating, and refuses new instances', async () => {
    const [first = 0, second = 0] = ports;
    const names = { plural: 'knobs', kind: 'Knob' };
    const metadata = { name: 'knobs.example.com', finalizers: ['example.com/hold'] };
    const knobs = widgets.replace('widgets', 'knobs');
    const knob = { ...widget('a', {}), kind: 'Knob' };
    assert.equal((await call(first, 'POST', crds, { ...crd, metadata, spec: { ...crd.spec, names } })).status, 201);
    for (const port of ports) await until(async () => (await call(port, 'GET', knobs)).status === 200, 'serving');
    const terminatingIn = ({ json }: { readonly json: Plain }) => {
      const { conditions = [] } = (json['status'] ?? {}) as { conditions?: Plain[] };
      return conditions.find(({ type }) => type === 'Terminating');
    };
    const terminating = async () => terminatingIn(await call(second, 'GET', `${crds}/knobs.example.com`));
    // The condition is false again as soon as the instances are gone.
    const marked = await call(first, 'DELETE', `${crds}/knobs.example.com`);
    assert.deepEqual([marked.status, terminatingIn(marked)?.status], [200, 'True']);
    const refusal = /create not allowed while custom resource definition is terminating/;
    const refused = async () => {
      for (const query of ['', '&dryRun=All']) {
        for (const [method, path] of [
          ['POST', `${knobs}?fieldManager=m${query}`],
          ['PATCH', `${knobs}/a?fieldManager=m${query}`],
        ] as const) {
          const { status, json } = await call(first, method, path, knob);
          assert.equal(status, 403);
          assert.match(String(json.message), refusal);
        }
      }
    };
    await refused();
    await until(async () => (await terminating())?.reason === 'InstanceDeletionCompleted', 'the end of the instances');
    await refused();
    const merge = { 'content-type': 'application/merge-patch+json' };
    const released = { metadata: { finalizers: null } };
    assert.equal((await call(first, 'PATCH', `${crds}/knobs.example.com`, released, merge)).status, 200);
    await until(async () => (await call(first, 'GET', `${crds}/knobs.example.com`)).status === 404, 'removal');
  });

  it('deletes what another server has created for a CRD that was gone', async () => {
    const [first = 0] = ports;
    const names = { plural: 'strays', kind: 'Stray' };
    const define = { ...crd, metadata: { name: 'strays.example.com' }, spec: { ...crd.spec, names } };
    const strays = widgets.replace('widgets', 'strays');
    assert.equal((await call(first, 'POST', crds, define)).status, 201);
    await until(async () => (await call(first, 'GET', strays)).status === 200, 'serving');
    assert.equal((await call(first, 'DELETE', `${crds}/strays.example.com`)).status, 200);
    await until(async () => (await call(first, 'GET', `${crds}/strays.example.com`)).status === 404, 'removal');
    const key = '/registry/example.com/strays/default/late';
    const metadata = { name: 'late', namespace: 'default', uid: 'u' };
    const etcdctl = (...words: string[]) => promisify(execFile)('etcdctl', ['--endpoints', etcd?.url ?? '', ...words]);
    await etcdctl('put', key, JSON.stringify({ ...widget('late', {}), kind: 'Stray', metadata }));
    await until(async () => (await etcdctl('get', key)).stdout === '', 'the deletion of the stray');
  });

  it('keeps the managers of the other versions when an object is scaled', async () => {
    const [first = 0] = ports;
    const path = (version: string) => `/apis/example.com/${version}/namespaces/default/dials`;
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const versions = [
      ['v1beta1', '.spec.replicas[0]'],
      ['v1', '.spec.replicas'],
    ].map(([name, specReplicasPath]) => ({
      name,
      served: true,
      storage: name === 'v1beta1',
      schema: { openAPIV3Schema },
      subresources: { scale: { specReplicasPath, statusReplicasPath: '.status.replicas' } },
    }));
    const spec = { ...crd.spec, names: { plural: 'dials', kind: 'Dial' }, versions };
    const made = await call(first, 'POST', crds, { ...crd, metadata: { name: 'dials.example.com' }, spec });
    assert.equal(made.status, 201);
    await until(async () => (await call(first, 'GET', path('v1'))).status === 200, 'serving');
    const dial = (version: string, spec: Plain) => ({
      apiVersion: `example.com/${version}`,
      kind: 'Dial',
      metadata: { name: 'a' },
      spec,
    });
    const created = dial('v1beta1', { 'replicas[0]': 2, other: 1 });
    assert.equal((await call(first, 'POST', `${path('v1beta1')}?fieldManager=maker`, created)).status, 201);
    const read = await call(first, 'GET', `${path('v1beta1')}/a/scale`);
    assert.deepEqual(read.json.spec, { replicas: 2 }, 'brackets belong to the name of the member');
    const applied = await call(first, 'PATCH', `${path('v1')}/a?fieldManager=applier`, dial('v1', { replicas: 3 }));
    assert.equal(applied.status, 200);
    const merge = { 'content-type': 'application/merge-patch+json' };
    const scaled = { spec: { replicas: 5 } };
    const patched = await call(first, 'PATCH', `${path('v1')}/a/scale?fieldManager=scaler`, scaled, merge);
    assert.equal(patched.status, 200);
    const { managedFields } = (await call(first, 'GET', `${path('v1')}/a`)).json.metadata as {
      managedFields: Record<string, unknown>[];
    };
    assert.deepEqual(
      managedFields.map(({ manager, operation, apiVersion, subresource, fieldsV1 }) => [
        manager,
        operation,
        apiVersion,
        subresource,
        fieldsV1,
      ]),
      [
        ['applier', 'Apply', 'example.com/v1', undefined, { 'f:spec': {} }],
        ['scaler', 'Update', 'example.com/v1', 'scale', { 'f:spec': { 'f:replicas': {} } }],
        ['maker', 'Update', 'example.com/v1beta1', undefined, { 'f:spec': { '.': {}, 'f:other': {} } }],
      ],
    );
  });

  it('keeps built-in objects when a CRD of their name is deleted', async () => {
    const [first = 0] = ports;
    const name = 'customresourcedefinitions.apiextensions.k8s.io';
    const shadow = {
      ...crd,
      metadata: { name, annotations: { 'api-approved.kubernetes.io': 'https://example.com/1' } },
      spec: {
        ...crd.spec,
        group: 'apiextensions.k8s.io',
        scope: 'Cluster',
        names: { plural: 'customresourcedefinitions', kind: 'Shadow' },
      },
    };
    assert.equal((await call(first, 'POST', crds, shadow)).status, 201);
    assert.equal((await call(first, 'DELETE', `${crds}/${name}`)).status, 200);
    await until(async () => (await call(first, 'GET', `${crds}/${name}`)).status === 404, 'removal');
    assert.equal((await call(first, 'GET', `${crds}/widgets.example.com`)).status, 200);
  });
});

import assert from 'node:assert/strict';
import { parseGroupVersion, type JsonObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { groupOperation, serverOperations } from './discovery-operations.ts';
import { openApiV2, openApiV3, openApiV3Of } from './document.ts';
import { SchemaWriter } from './type-schema.ts';

const kind = { group: '', version: 'v1', kind: 'Box' };
const part: Type = { kind: 'object', name: 'core.v1.Part', fields: [] };
const text: Type = { kind: 'string' };
const box: Type = {
  kind: 'object',
  name: 'core.v1.Box',
  fields: [
    { name: 'part', type: part, omitempty: true },
    { name: 'parts', type: { kind: 'array', items: part } },
    { name: 'pointer', type: part, pointer: true },
    { name: 'always', type: text },
    { name: 'often', type: text, omitempty: true },
    { name: 'size', type: { kind: 'integer', format: 'int32' } },
    { name: 'open', type: { kind: 'boolean' } },
  ],
};
const types = (name: string): Type => (name === 'core.v1.Box' ? box : { kind: 'object', name, fields: [] });
const options: Type = { kind: 'object', name: 'core.v1.BoxProxyOptions', fields: [{ name: 'path', type: text }] };
const methods = ['GET', 'HEAD'];
const resource = {
  kind,
  listKind: 'BoxList',
  plural: 'boxes',
  namespaced: true,
  type: box,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
  subresources: [
    {
      name: 'proxy',
      kind: { ...kind, kind: 'BoxProxyOptions' },
      verbs: [],
      connect: { methods, options, isText: false },
    },
    { name: 'log', kind, verbs: ['get'], connect: { methods: ['GET'], options, isText: true } },
  ],
  custom: false,
  returnsDeleted: true,
};
const groupVersion = { group: '', version: 'v1', resources: [resource] };
const documentation = {
  type: () => '',
  field: () => '',
  groupVersions: () => ['v1', 'admission.k8s.io/v1', 'apps/v1'].map((text) => parseGroupVersion(text)),
};
const info = { title: 'T', version: '1.36', security: true };

interface Item {
  readonly parameters?: readonly { readonly name: string; readonly in?: string }[];
}
const names = (holder: Item | undefined): string[] | undefined => holder?.parameters?.map(({ name }) => name);

interface Definition {
  readonly 'x-kubernetes-group-version-kind': readonly { readonly group: string; readonly version: string }[];
}
function kindsOf(document: JsonObject, kindName: string): string[] {
  const schemas: unknown = document['definitions'] ?? (document['components'] as JsonObject)['schemas'];
  const definitions = schemas as Readonly<Record<string, Definition>>;
  const kinds = definitions[`io.k8s.apimachinery.pkg.apis.meta.v1.${kindName}`]?.['x-kubernetes-group-version-kind'];
  return (kinds ?? []).map(({ group, version }) => `${group}/${version}`);
}

type Paths = Readonly<Record<string, Item & Readonly<Record<string, Item>>>>;
function pathsOf(document: JsonObject): Paths {
  const paths: unknown = document['paths'];
  return paths as Paths;
}

describe('OpenAPI documents of built-in kinds', () => {
  let v2: JsonObject;
  let v3: JsonObject;
  let paths: Paths;
  before(async () => {
    v2 = await openApiV2([groupVersion], types, info, documentation);
    v3 = await openApiV3(groupVersion, types, info);
    paths = pathsOf(v3);
  });

  it('mark fields that Go cannot omit', () => {
    const schemas = (v3['components'] as JsonObject)['schemas'] as JsonObject;
    const { properties } = schemas['io.k8s.api.core.v1.Box'] as { properties: JsonObject };
    const ref = { $ref: '#/components/schemas/io.k8s.api.core.v1.Part' };
    assert.deepEqual(properties, {
      part: { allOf: [ref], default: {} },
      parts: { type: 'array', items: ref },
      pointer: ref,
      always: { type: 'string', default: '' },
      often: { type: 'string' },
      size: { type: 'integer', format: 'int32', default: 0 },
      open: { type: 'boolean', default: false },
    });
  });

  it('have media types in the order of their names in v3, and in that of the server in v2', () => {
    const path = '/api/v1/namespaces/{namespace}/boxes';
    const produced = pathsOf(v2)[path]?.['get'] as { produces?: readonly string[] } | undefined;
    assert.deepEqual(produced?.produces?.slice(0, 2), ['application/json', 'application/yaml']);
    const got = paths[path]?.['get'] as { responses?: Readonly<Record<string, { content?: object }>> } | undefined;
    assert.deepEqual(Object.keys(got?.responses?.['200']?.content ?? {}), [
      'application/json',
      'application/json;stream=watch',
      'application/vnd.kubernetes.protobuf',
      'application/vnd.kubernetes.protobuf;stream=watch',
      'application/yaml',
    ]);
  });

  it('have the common parameters of a path, by name', () => {
    const item = paths['/api/v1/namespaces/{namespace}/boxes/{name}'];
    assert.deepEqual(names(item), ['name', 'namespace', 'pretty']);
    assert.equal(item?.['get']?.parameters, undefined);
    assert.deepEqual(names(item?.['patch']), ['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    const boxes = pathsOf(v2)['/api/v1/namespaces/{namespace}/boxes'];
    assert.deepEqual(names(boxes?.['post']), ['body', 'dryRun', 'fieldManager', 'fieldValidation']);
    assert.ok(names(boxes?.['get'])?.includes('shardSelector'));
    assert.ok(names(paths['/api/v1/boxes'])?.includes('watch'));
  });

  it('have the responses of deletions and of token requests', () => {
    const responses = JSON.stringify(paths['/api/v1/namespaces/{namespace}/boxes/{name}']?.['delete']);
    assert.match(
      responses,
      /"200":\{"description":"OK","content":\{"application\/json":\{"schema":\{"\$ref":"[^"]*\.Box"/,
    );
    assert.deepEqual(v2['security'], [{ BearerToken: [] }]);
    assert.ok('securitySchemes' in (v3['components'] as JsonObject));
  });

  it('have the deprecated paths of watches, with their own events', () => {
    const watches = Object.keys(paths).filter((path) => path.includes('/watch/'));
    assert.deepEqual(watches, [
      '/api/v1/watch/namespaces/{namespace}/boxes/{name}',
      '/api/v1/watch/namespaces/{namespace}/boxes',
      '/api/v1/watch/boxes',
    ]);
    assert.match(JSON.stringify(paths['/api/v1/watch/boxes']), /watchCoreV1BoxListForAllNamespaces.*WatchEvent/);
    assert.deepEqual(kindsOf(v3, 'WatchEvent'), ['/v1']);
    assert.deepEqual(kindsOf(v2, 'DeleteOptions'), ['/v1', 'admission.k8s.io/v1', 'apps/v1']);
  });

  it('have streams and proxies by method, with their options, and logs as texts', () => {
    const base = '/api/v1/namespaces/{namespace}/boxes/{name}';
    const proxied = paths[`${base}/proxy/{path}`];
    assert.deepEqual(names(proxied), ['name', 'namespace', 'path', 'path']);
    assert.equal(proxied?.parameters?.[2]?.in, 'path');
    assert.match(JSON.stringify(proxied?.['head']), /connectCoreV1HeadNamespacedBoxProxyWithPath.*"\*\/\*"/);
    assert.deepEqual(Object.keys(paths[`${base}/log`] ?? {}).toSorted(), ['get', 'parameters']);
    assert.match(JSON.stringify(paths[`${base}/log`]), /readCoreV1NamespacedBoxLog.*"text\/plain"/);
  });

  it('list the resources of a group-version, and describe other paths', async () => {
    assert.match(JSON.stringify(paths['/api/v1/']), /getCoreV1APIResources.*APIResourceList/);
    const group = JSON.stringify(await openApiV3Of([groupOperation('rbac.authorization.k8s.io')], types, info));
    assert.match(group, /"\/apis\/rbac.authorization.k8s.io\/".*getRbacAuthorizationAPIGroup.*"rbacAuthorization"/);
    const keys = serverOperations.filter(({ path }) => path.startsWith('/openid'));
    assert.deepEqual(Object.keys((await openApiV3Of(keys, types, info))['components'] ?? {}), ['securitySchemes']);
  });

  it('have the markers of Go comments: unions, defaults of pointers, merge strategies', () => {
    const writer = new SchemaWriter(3, types, documentation, () => undefined);
    const field = (name: string, of: Type) =>
      ({ kind: 'object', name, fields: [{ name: 'readOnly', type: of }] }) as const;
    const profile = writer.define({ kind: 'object', name: 'core.v1.SeccompProfile', fields: [] });
    assert.match(JSON.stringify(profile['x-kubernetes-unions']), /"discriminator":"type"/);
    const disk = writer.define(field('core.v1.AzureDiskVolumeSource', { kind: 'boolean' }));
    assert.match(JSON.stringify(disk), /"default":false/);
    const merged = writer.define(field('core.v1.Other', { ...part, mapType: 'granular' }));
    assert.match(JSON.stringify(merged), /"x-kubernetes-map-type":"granular"/);
  });
});

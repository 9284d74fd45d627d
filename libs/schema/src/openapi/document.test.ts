import assert from 'node:assert/strict';
import type { JsonObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { customResourceType, structuralType } from '../structural-type.ts';
import { objectMetaType } from '../metadata-rules.fixture.ts';
import { openApiV2, openApiV3 } from './document.ts';
import type { OpenApiGroupVersion } from './openapi-types.ts';
import { encodeOpenApiV2 } from './protobuf-v2.ts';

const kind = { group: 'stable.example.com', version: 'v1', kind: 'CronTab' };
const type = customResourceType(
  structuralType({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['port', 'maybe'],
        properties: {
          port: { 'x-kubernetes-int-or-string': true },
          maybe: { type: 'string', nullable: true },
          open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
          closed: { type: 'object', additionalProperties: false },
          object: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { data: { type: 'string' } } },
          choice: { type: 'string', oneOf: [{ pattern: 'a' }, { pattern: 'b' }] },
        },
      },
    },
  }),
  objectMetaType,
);
const groupVersion: OpenApiGroupVersion = {
  group: kind.group,
  version: kind.version,
  resources: [
    {
      kind,
      listKind: 'CronTabList',
      plural: 'crontabs',
      namespaced: true,
      type,
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      subresources: [
        { name: 'status', kind, verbs: ['get', 'patch', 'update'] },
        {
          name: 'scale',
          kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          type: { kind: 'object', name: 'autoscaling.v1.Scale', fields: [] },
          verbs: ['get', 'patch', 'update'],
        },
      ],
      custom: true,
      selectableFields: ['spec.choice'],
    },
  ],
};
const lookup = (name: string): Type => ({ kind: 'object', name, fields: [] });
const info = { title: 'Kubernetes', version: 'v1.36.2' };

const at = (document: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], document);

describe('OpenAPI documents of a custom resource', () => {
  let v2: JsonObject;
  let v3: JsonObject;
  before(async () => {
    v2 = await openApiV2([groupVersion], lookup, info);
    v3 = await openApiV3(groupVersion, lookup, info);
  });

  it('name the definition by the reversed group and have its kind', () => {
    const gvk = [{ group: 'stable.example.com', version: 'v1', kind: 'CronTab' }];
    assert.deepEqual(at(v2, 'definitions', 'com.example.stable.v1.CronTab', 'x-kubernetes-group-version-kind'), gvk);
    assert.deepEqual(
      at(v3, 'components', 'schemas', 'com.example.stable.v1.CronTab', 'x-kubernetes-group-version-kind'),
      gvk,
    );
    assert.ok(at(v2, 'definitions', 'com.example.stable.v1.CronTabList'));
  });

  it('keep everything in v3 and strip for kubectl in v2', () => {
    const spec3 = at(v3, 'components', 'schemas', 'com.example.stable.v1.CronTab', 'properties', 'spec', 'properties');
    const spec2 = at(v2, 'definitions', 'com.example.stable.v1.CronTab', 'properties', 'spec');
    assert.deepEqual(at(spec3, 'port'), {
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    });
    assert.deepEqual(at(spec3, 'choice', 'oneOf'), [{ pattern: 'a' }, { pattern: 'b' }]);
    assert.deepEqual(at(spec2, 'properties', 'maybe'), {});
    assert.deepEqual(at(spec2, 'required'), ['port']);
    assert.deepEqual(at(spec2, 'properties', 'open'), { 'x-kubernetes-preserve-unknown-fields': true });
    assert.deepEqual(at(spec2, 'properties', 'choice'), { type: 'string' });
    for (const fields of [spec3, at(spec2, 'properties')]) {
      assert.equal(at(fields, 'closed', 'additionalProperties'), false);
      assert.deepEqual(at(fields, 'object', 'required'), ['kind', 'apiVersion']);
    }
  });

  it('name the selectable fields of the resource and of its list', () => {
    for (const schemas of [at(v2, 'definitions'), at(v3, 'components', 'schemas')])
      for (const name of ['CronTab', 'CronTabList'])
        assert.deepEqual(at(schemas, `com.example.stable.v1.${name}`, 'x-kubernetes-selectable-fields'), [
          { fieldPath: 'spec.choice' },
        ]);
  });

  it('list the operations with the extensions for kubectl', () => {
    const path = '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}';
    const patch = at(v3, 'paths', path, 'patch');
    assert.equal(at(patch, 'operationId'), 'patchStableExampleComV1NamespacedCronTab');
    assert.equal(at(patch, 'x-kubernetes-action'), 'patch');
    const names = (at(patch, 'parameters') as { name: string }[]).map((p) => p.name);
    for (const name of ['dryRun', 'fieldManager', 'fieldValidation', 'force']) assert.ok(names.includes(name), name);
    assert.ok(!JSON.stringify(patch).includes('strategic'));
    assert.deepEqual(Object.keys(at(patch, 'responses') as object), ['200', '401']);
    assert.deepEqual(Object.keys(at(v3, 'paths', path, 'put', 'requestBody', 'content') as object), [
      'application/json',
      'application/yaml',
    ]);
    assert.equal(at(v3, 'paths', path.replace('/{name}', ''), 'delete', 'requestBody'), undefined);
    const scale = at(v3, 'paths', `${path}/scale`, 'get');
    assert.equal(at(scale, 'x-kubernetes-group-version-kind', 'kind'), 'CronTab');
    assert.match(JSON.stringify(at(scale, 'responses')), /autoscaling\.v1\.Scale/);
    assert.ok(at(v3, 'paths', `${path}/status`, 'put'));
    assert.ok(at(v3, 'paths', '/apis/stable.example.com/v1/crontabs', 'get'));
  });

  it('describe metadata, fields without a schema, and operations', async () => {
    const documentation = {
      type: (name: string) => `type ${name}`,
      field: (name: string, f: string) => `${name} ${f}`,
      groupVersions: () => [],
    };
    const metadata = { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
    for (const version of [2, 3] as const) {
      const document =
        version === 2
          ? await openApiV2([groupVersion], lookup, info, documentation)
          : await openApiV3(groupVersion, lookup, info, documentation);
      const schemas = version === 2 ? at(document, 'definitions') : at(document, 'components', 'schemas');
      const cronTab = at(schemas, 'com.example.stable.v1.CronTab', 'properties');
      assert.deepEqual(at(cronTab, 'kind'), { type: 'string', description: 'meta.v1.TypeMeta kind' });
      assert.equal(at(cronTab, 'metadata', 'description'), 'core.v1.Pod metadata');
      if (version === 2) assert.equal(at(cronTab, 'metadata', '$ref'), metadata.$ref);
      else assert.equal((at(cronTab, 'metadata', 'allOf') as JsonObject[]).length, 1);
      const embedded = at(cronTab, 'spec', 'properties', 'object', 'properties');
      assert.match(String(at(embedded, 'kind', 'description')), /^kind is a string value representing the type/);
      assert.equal(at(embedded, 'metadata', 'description'), 'core.v1.Pod metadata');
      assert.equal(at(embedded, 'data', 'description'), undefined);
      const list = at(schemas, 'com.example.stable.v1.CronTabList', 'properties');
      assert.match(String(at(list, 'items', 'description')), /^List of crontabs\. More info: /);
      assert.equal(at(list, 'metadata', 'description'), 'core.v1.PodList metadata');
      const scale = at(schemas, 'io.k8s.api.autoscaling.v1.Scale');
      assert.equal(at(scale, 'description'), 'type autoscaling.v1.Scale');
      const item = at(document, 'paths', '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}');
      const remove = at(item, 'delete');
      assert.equal(at(remove, 'description'), 'delete a CronTab');
      const options = at(remove, 'parameters') as { name: string; description: string }[];
      const dryRun = options.find(({ name }) => name === 'dryRun');
      assert.equal(dryRun?.description, 'meta.v1.DeleteOptions dryRun');
    }
  });

  it('encode to protobuf as Document{swagger = 1}', async () => {
    const bytes = await encodeOpenApiV2(v2);
    assert.deepEqual([...bytes.subarray(0, 5)], [0x0a, 3, 0x32, 0x2e, 0x30]);
  });
});

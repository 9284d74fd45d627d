import assert from 'node:assert/strict';
import type { JsonObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { openApiV2, openApiV3 } from './document.ts';

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
const resource = {
  kind,
  listKind: 'BoxList',
  plural: 'boxes',
  namespaced: true,
  type: box,
  verbs: ['create', 'delete', 'get', 'list', 'patch'],
  subresources: [],
  custom: false,
  returnsDeleted: true,
};
const groupVersion = { group: '', version: 'v1', resources: [resource] };
const info = { title: 'T', version: '1.36', security: true };

interface Item {
  readonly parameters?: readonly { readonly name: string }[];
}
const names = (holder: Item | undefined): string[] | undefined => holder?.parameters?.map(({ name }) => name);

describe('OpenAPI documents of built-in kinds', () => {
  const v2 = openApiV2([groupVersion], types, info);
  const v3 = openApiV3(groupVersion, types, info);
  const paths = v3['paths'] as unknown as Readonly<Record<string, Item & Readonly<Record<string, Item>>>>;

  it('say what fields are that Go cannot tell to be unset', () => {
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

  it('say of a path what all its operations take, by name', () => {
    const item = paths['/api/v1/namespaces/{namespace}/boxes/{name}'];
    assert.deepEqual(names(item), ['name', 'namespace', 'pretty']);
    assert.equal(item?.['get']?.parameters, undefined);
    assert.deepEqual(names(item?.['patch']), ['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    const boxes = (v2['paths'] as unknown as typeof paths)['/api/v1/namespaces/{namespace}/boxes'];
    assert.deepEqual(names(boxes?.['post']), ['body', 'dryRun', 'fieldManager', 'fieldValidation']);
    assert.ok(names(boxes?.['get'])?.includes('shardSelector'));
    assert.ok(names(paths['/api/v1/boxes'])?.includes('watch'));
  });

  it('answer a deletion with the object where the kind does, and know tokens', () => {
    const answer = JSON.stringify(paths['/api/v1/namespaces/{namespace}/boxes/{name}']?.['delete']);
    assert.match(
      answer,
      /"200":\{"description":"OK","content":\{"application\/json":\{"schema":\{"\$ref":"[^"]*\.Box"/,
    );
    assert.deepEqual(v2['security'], [{ BearerToken: [] }]);
    assert.ok('securitySchemes' in (v3['components'] as JsonObject));
  });
});

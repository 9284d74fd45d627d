import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/request';
import type { KubeObject } from '@apichain/meta';
import { metadataRules } from './metadata-rules.ts';
import { customStrategy } from './strategy.ts';
import type { VersionConverter } from './object-codec.ts';
import { VersionSchema } from './version-schema.ts';

const a = { type: 'string' };

const schemaOf = (name: string, properties: object, required: string[] = []) =>
  new VersionSchema(
    {
      ...{ name, served: true, storage: name === 'v1' },
      schema: { openAPIV3Schema: { type: 'object', required, properties: { ...properties } } },
    },
    { metadata: metadataRules, objectMeta: { kind: 'object' } },
  );

describe('the validation of custom resources that a converter converts', () => {
  // v1 has the field b instead of a.
  const converter: VersionConverter = {
    convert: (objects, apiVersion) =>
      Promise.resolve(objects.map(({ b, ...rest }) => ({ ...rest, apiVersion, ...(b === undefined ? {} : { a: b }) }))),
  };
  const strategy = customStrategy({
    ...{ group: 'example.com', kind: 'Widget', namespaced: true, storageVersion: 'v1', converter },
    schemas: new Map([
      ['v1', schemaOf('v1', { b: a }, ['b'])],
      ['v2', schemaOf('v2', { a }, ['a'])],
    ]),
    metadata: metadataRules,
  });
  const ctx = { requestInfo: { apiVersion: 'v2' } } as RequestContext;
  const stored = (fields: object): KubeObject => ({
    ...{
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default', resourceVersion: '1' },
    },
    ...fields,
  });
  const fields = (errors: readonly { field: string }[] = []) => errors.map(({ field }) => field);

  it('uses the fields of the version of the request', async () => {
    assert.deepEqual(fields(await strategy.validate?.(ctx, stored({ b: 'x' }))), []);
    assert.deepEqual(fields(await strategy.validate?.(ctx, stored({}))), ['a']);
    assert.deepEqual(fields(await strategy.validateUpdate?.(ctx, stored({ b: 'y' }), stored({ b: 'x' }))), []);
    assert.deepEqual(fields(await strategy.validateUpdate?.(ctx, stored({}), stored({ b: 'x' }))), ['a']);
  });
});

describe('updates of custom resources', () => {
  it('change nothing by what the version of the request does not know', async () => {
    const strategy = customStrategy({
      ...{ group: 'example.com', kind: 'Widget', namespaced: true, storageVersion: 'v1' },
      schemas: new Map([
        ['v1', schemaOf('v1', { a, b: a })],
        ['v2', schemaOf('v2', { a })],
      ]),
      metadata: metadataRules,
    });
    const generationAfter = async (apiVersion: string) => {
      const widget = (fields: object) =>
        ({
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'w', generation: 1 },
          ...fields,
        }) as KubeObject;
      const object = widget({ a: 'x' });
      const ctx = { requestInfo: { apiVersion } } as RequestContext;
      await strategy.prepareForUpdate?.(ctx, object, widget({ a: 'x', b: 'y' }));
      return object.metadata.generation;
    };
    assert.equal(await generationAfter('v2'), 1);
    assert.equal(await generationAfter('v1'), 2);
  });
});

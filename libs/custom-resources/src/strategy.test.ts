import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/request';
import type { KubeObject } from '@apichain/meta';
import { metadataRules } from './metadata-rules.ts';
import { customStrategy } from './strategy.ts';
import { VersionSchema } from './version-schema.ts';

describe('updates of custom resources', () => {
  it('change nothing by what the version of the request does not know', async () => {
    const schemaOf = (name: string, properties: object) =>
      new VersionSchema(
        {
          name,
          served: true,
          storage: name === 'v1',
          schema: { openAPIV3Schema: { type: 'object', properties: { ...properties } } },
        },
        { metadata: metadataRules, objectMeta: { kind: 'object' } },
      );
    const a = { type: 'string' };
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

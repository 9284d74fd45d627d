import assert from 'node:assert/strict';
import type { Type } from '@apichain/scheme';
import { validateEmbeddedResources, type ObjectMetaRules } from './object-meta.ts';

describe('validateEmbeddedResources', () => {
  const rules: ObjectMetaRules = {
    decode: (metadata) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== null)),
      unknownFields: [],
    }),
    validate: ({ name }) => {
      assert.equal(typeof name, 'string');
      return [];
    },
  };
  const type: Type = { kind: 'object', fields: [], byName: new Map(), embeddedResource: true };

  it('judges metadata as its type reads it, also what an apply has left as it was', () => {
    const embedded = { kind: 'A', apiVersion: 'v1', metadata: { name: null, labels: null } };
    assert.deepEqual(validateEmbeddedResources(embedded, type, 'spec', rules), []);
  });
});

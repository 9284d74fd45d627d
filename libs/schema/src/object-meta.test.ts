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

  it('validates metadata as its type decodes it, also after an apply', () => {
    const embedded = { kind: 'A', apiVersion: 'v1', metadata: { name: null, labels: null } };
    assert.deepEqual(validateEmbeddedResources(embedded, type, 'spec', rules), []);
  });

  it('reports why metadata cannot be decoded', () => {
    const decode = () => {
      throw new Error('no time');
    };
    const embedded = { kind: 'A', apiVersion: 'v1', metadata: { name: 'a', creationTimestamp: 'x' } };
    const errors = validateEmbeddedResources(embedded, type, 'spec', { ...rules, decode });
    assert.deepEqual(
      errors.map(({ field, message }) => `${field}: ${message}`),
      ['spec.metadata: Invalid value: {"creationTimestamp":"x","name":"a"}: no time'],
    );
  });
});

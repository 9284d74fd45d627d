import assert from 'node:assert/strict';
import { applyDefaults } from './defaulting.ts';
import { metadataRules } from './metadata-rules.fixture.ts';
import { pruneDefaults } from './prune-defaults.ts';
import { prune } from './prune.ts';
import { structuralType } from './structural-type.ts';

describe('pruning', () => {
  it('reports fields below an empty key', () => {
    const type = structuralType({ type: 'object', additionalProperties: { type: 'object', properties: {} } });
    assert.deepEqual(prune({ '': { k: 1 }, a: { k: 1 } }, type, false), ['.k', 'a.k']);
  });
});

describe('pruned defaults', () => {
  const text = (value: string) => ({ type: 'string', default: value });
  const known = { apiVersion: 'v1', kind: 'Foo', metadata: { name: 'bar' } };
  const given = { ...known, metadata: { name: 'bar', unknown: 'x' } };
  const embedded = (more: object) => ({ type: 'object', 'x-kubernetes-embedded-resource': true, ...more });
  const meta = (metadata: object) => ({
    properties: { apiVersion: text('v1'), kind: text('Foo'), metadata: { type: 'object', ...metadata } },
  });
  for (const preserve of [{}, { 'x-kubernetes-preserve-unknown-fields': true }])
    it(`have no unknown metadata in embedded resources: ${JSON.stringify(preserve)}`, () => {
      const schema = {
        type: 'object',
        properties: {
          members: embedded({ ...preserve, ...meta({ properties: { name: text('bar'), unknown: text('x') } }) }),
          metadata_: embedded({ ...preserve, ...meta({ default: { name: 'bar', unknown: 'x' } }) }),
          whole: embedded({ ...preserve, default: given }),
          around: { type: 'object', properties: { inner: embedded(preserve) }, default: { inner: given } },
          items: { type: 'array', items: embedded({ ...preserve, ...meta({ default: { name: 'bar', unknown: 1 } }) }) },
          plain: { type: 'object', properties: { a: text('b') }, default: {} },
        },
      };
      const type = structuralType(schema);
      const pruned = pruneDefaults(type, metadataRules);
      const object = { members: { metadata: {} }, metadata_: {}, items: [{}] };
      applyDefaults(object, pruned);
      assert.deepEqual(object, {
        members: known,
        metadata_: known,
        whole: known,
        around: { inner: known },
        items: [known],
        plain: { a: 'b' },
      });
      assert.equal(pruneDefaults(pruned, metadataRules), pruned, 'nothing is left to prune');
    });
});

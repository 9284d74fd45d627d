import assert from 'node:assert/strict';
import type { JsonSchemaProps } from '../json-schema-props.ts';
import { metadataRules } from '../metadata-rules.fixture.ts';
import { validateDefaults } from './defaults-validation.ts';

describe('defaults of a schema', () => {
  it('are pruned of unknown metadata, also at the root', () => {
    const value = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', unknown: 1 } };
    const schema: JsonSchemaProps = { type: 'object', default: value };
    assert.deepEqual(validateDefaults(schema, 's', { metadata: metadataRules, requirePruned: true }), []);
    assert.deepEqual(schema.default, { ...value, metadata: { name: 'a' } });
  });

  it('are shown with the members of objects in order', () => {
    const schema: JsonSchemaProps = { type: 'object', properties: { a: { type: 'object', default: { z: 1, b: 2 } } } };
    assert.deepEqual(
      validateDefaults(schema, 's', { metadata: metadataRules, requirePruned: true }).map(({ message }) => message),
      ['Invalid value: {"b":2,"z":1}: must not have unknown fields'],
    );
  });
});

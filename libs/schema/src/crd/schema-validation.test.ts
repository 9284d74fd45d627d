import assert from 'node:assert/strict';
import { decodeObject } from '@apichain/scheme';
import type { JsonSchemaProps } from '../json-schema-props.ts';
import { validateSchemaKeywords } from './schema-validation.ts';

const options = { requireValidPropertyType: true, requireAtomicSetType: true, requireMapListKeys: true };
const errors = (schema: JsonSchemaProps) =>
  validateSchemaKeywords(schema, 's', options).map(({ field, message }) => `${field}: ${message}`);
const forbidden = 's.dependencies: Forbidden: dependencies is not supported';

describe('keywords of a schema', () => {
  it('refuses dependencies, empty ones and those that are neither schema nor names too', () => {
    const schema: unknown = { type: 'object', dependencies: { a: ['b'], c: null } };
    assert.deepEqual(errors(schema as JsonSchemaProps), [forbidden]);
    const dependencies = { name: 'dependencies', type: { kind: 'map', values: { kind: 'json' } } } as const;
    const { object } = decodeObject({ dependencies: {} }, { kind: 'object', fields: [dependencies] });
    assert.deepEqual(errors(object as JsonSchemaProps), [forbidden]);
  });
  it('shows items of a map list that are no single schema', () => {
    const schema: JsonSchemaProps = { type: 'array', items: [], 'x-kubernetes-list-type': 'map' };
    const shown = errors({ ...schema, 'x-kubernetes-list-map-keys': ['a'] }).find((line) => line.startsWith('s.items'));
    assert.equal(
      shown,
      's.items: Invalid value: {"Schema":null,"JSONSchemas":[]}: must only have a single schema if x-kubernetes-list-type is map',
    );
  });
  it('accepts items that are valid alone but not in their list', () => {
    const items: JsonSchemaProps = { type: 'object', nullable: true, properties: {} };
    const refused = new Set<string>();
    const list: JsonSchemaProps = { type: 'array', 'x-kubernetes-list-type': 'atomic', items };
    validateSchemaKeywords({ ...list, 'x-kubernetes-list-type': 'set' }, 's', { ...options, refused });
    assert.deepEqual([...refused], ['s']);
  });
  it('checks the fieldPath of a rule only in a structural schema', () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '//a' }] };
    assert.deepEqual(errors({ type: 'object', ...rules }), [
      's.x-kubernetes-validations[0].fieldPath: Invalid value: "//a": must be a valid path',
    ]);
    assert.deepEqual(errors({ type: 'object', id: 'x', ...rules }), ['s.id: Forbidden: id is not supported']);
  });
});

import assert from 'node:assert/strict';
import { selectableFields } from './selectable-fields.ts';

describe('selectableFields of a CRD', () => {
  it('go with the name, and with the namespace where there is one', () => {
    const declared = [{ jsonPath: '.spec.color' }];
    assert.deepEqual(selectableFields(declared, true).labels, ['metadata.name', 'metadata.namespace', 'spec.color']);
    assert.deepEqual(selectableFields(undefined, false).labels, ['metadata.name']);
  });

  it('have values as text', () => {
    const { values } = selectableFields([{ jsonPath: '.spec.n' }, { jsonPath: '.spec.none' }], true);
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: {}, spec: { n: 3 } };
    assert.deepEqual(values(object), { 'spec.n': '3', 'spec.none': '' });
  });
});

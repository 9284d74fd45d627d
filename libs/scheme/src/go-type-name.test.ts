import assert from 'node:assert/strict';
import { goTypeName } from './go-type-name.ts';
import type { Type } from './type.ts';

describe('goTypeName', () => {
  const text: Type = { kind: 'string' };

  it('names the values of a map, and its keys when they have a type', () => {
    const map = (values: Type): string => goTypeName({ kind: 'map', values });
    assert.equal(map(text), 'map[string]string');
    assert.equal(map({ ...text, alias: 'core.v1.ClaimResourceStatus' }), 'map[v1.ResourceName]v1.ClaimResourceStatus');
    assert.equal(
      map({ kind: 'object', name: 'resource.v1beta2.DeviceAttribute' }),
      'map[v1beta2.QualifiedName]v1beta2.DeviceAttribute',
    );
  });
});

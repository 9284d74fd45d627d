import assert from 'node:assert/strict';
import type { Type } from '@apichain/scheme';
import { typeErrors } from './misfits.ts';

describe('values that do not match a type', () => {
  it('include unknown fields of a named type, also inside types that preserve unknown fields', () => {
    const name = { name: 'name', type: { kind: 'string' } } as const;
    const meta: Type = {
      kind: 'object',
      name: 'meta.v1.ObjectMeta',
      fields: [name],
      byName: new Map([['name', name]]),
    };
    const metadata = { name: 'metadata', type: meta };
    const open: Type = {
      kind: 'object',
      preserveUnknownFields: true,
      fields: [metadata],
      byName: new Map([['metadata', metadata]]),
    };
    assert.equal(typeErrors(open, { other: 1, metadata: { name: 'a' } }), undefined);
    assert.equal(typeErrors(open, { metadata: { zz: 1 } }), '.metadata.zz: field not declared in schema');
  });
});

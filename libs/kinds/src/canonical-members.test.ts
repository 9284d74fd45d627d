import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyJson } from '@apichain/meta';
import { canonicalize, canonicalMembers } from '@apichain/scheme';
import { builtinGroupVersions } from './resources.ts';
import { valuesOf } from './typed-values.fixture.ts';
import { builtinType } from './types.ts';

describe('canonicalMembers', () => {
  const kinds = builtinGroupVersions.flatMap(({ resources }) => resources.map(({ info }) => info.kind));
  it('writes what canonicalize makes of an object, for every kind', () => {
    for (const kind of kinds) {
      const type = builtinType(kind);
      if (type === undefined) continue;
      const members = canonicalMembers(type, ['metadata']);
      const check = (value: unknown) => {
        const { metadata: _, ...rest } = canonicalize(value, type);
        assert.equal(`{${members(value).slice(1)}}`, stringifyJson(rest), kind.kind);
      };
      fc.assert(fc.property(valuesOf(type, 5), check), { numRuns: 20 });
    }
  });
  it('writes null bytes in a map as none', () => {
    const type = builtinType({ group: '', version: 'v1', kind: 'Secret' });
    assert.ok(type !== undefined);
    assert.equal(canonicalMembers(type, ['metadata'])({ data: { a: null } }), ',"data":{"a":""}');
  });
  it('refuses a value of the wrong type', () => {
    const type = builtinType({ group: '', version: 'v1', kind: 'Pod' });
    assert.ok(type !== undefined);
    assert.throws(() => canonicalMembers(type, [])({ spec: { containers: [{ name: 1 }] } }), {
      message: 'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    });
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyJson } from '@apichain/meta';
import { canonicalize, canonicalMembers, type Type } from '@apichain/scheme';
import { builtinGroupVersions } from './resources.ts';
import { builtinType } from './types.ts';

const times = fc.constantFrom('2024-01-02T03:04:05Z', '2024-01-02T03:04:05+02:00');
const texts = fc.oneof(fc.constantFrom('', 'a', '<&>', '"', '\\', 'é\u2028', '__proto__'), fc.string());
const nothing = fc.constantFrom(null, undefined);

/** Values of a type as a server might hold them: fields in any order, some null, some empty. */
function valuesOf(type: Type, depth: number): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'object': {
      const fields = depth > 0 ? (type.fields ?? []) : [];
      const some = fc.shuffledSubarray([...fields], { maxLength: Math.min(fields.length, 6) });
      return some.chain((chosen) =>
        fc
          .tuple(...chosen.map((field) => fc.option(valuesOf(field.type, depth - 1), { freq: 6 })))
          .map((values) => Object.fromEntries(chosen.map((field, i) => [field.name, values[i]]))),
      );
    }
    case 'map':
      return fc.dictionary(texts, fc.oneof(valuesOf(type.values ?? { kind: 'json' }, depth - 1), nothing), {
        maxKeys: 3,
      });
    case 'array':
      return fc.array(fc.oneof(valuesOf(type.items ?? { kind: 'json' }, depth - 1), nothing), { maxLength: 3 });
    case 'string':
      return texts;
    case 'integer':
      return fc.constantFrom(0, 1, -7, 100);
    case 'number':
      return fc.constantFrom(0, 0.5, 3);
    case 'boolean':
      return fc.boolean();
    case 'bytes':
      return fc.constantFrom('', 'YQ==');
    case 'time':
      return times;
    case 'microTime':
      return fc.constantFrom('2024-01-02T03:04:05.000000Z', '2024-01-02T03:04:05.100000+01:00');
    case 'duration':
      return fc.constantFrom('0s', '90s');
    case 'quantity':
      return fc.constantFrom('0', '1000m', '0.5', '2Gi');
    case 'intOrString':
      return fc.constantFrom(0, 80, '', 'http');
    case 'fieldsV1':
    case 'rawExtension':
      return fc.constantFrom({}, { 'f:a': { '.': {} } });
    case 'json':
      return type.items === undefined ? fc.jsonValue() : valuesOf(type.items, depth - 1);
  }
}

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
  it('refuses a value of the wrong type', () => {
    const type = builtinType({ group: '', version: 'v1', kind: 'Pod' });
    assert.ok(type !== undefined);
    assert.throws(() => canonicalMembers(type, [])({ spec: { containers: [{ name: 1 }] } }), {
      message: 'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    });
  });
});

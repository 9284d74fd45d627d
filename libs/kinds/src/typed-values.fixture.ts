import fc from 'fast-check';
import type { Type } from '@apichain/scheme';

const times = fc.constantFrom('2024-01-02T03:04:05Z', '2024-01-02T03:04:05+02:00');
const texts = fc.oneof(fc.constantFrom('', 'a', '<&>', '"', '\\', 'é\u2028', '__proto__'), fc.string());
/** Without integer-like keys, because JavaScript objects put those first, whatever the insertion order. */
const keys = texts.filter((text) => !/^\d+$/.test(text));
const nothing = fc.constantFrom(null, undefined);

/** Random values of a type as a server might hold them: fields in any order, some null, some empty. */
export function valuesOf(type: Type, depth: number): fc.Arbitrary<unknown> {
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
      return fc.dictionary(keys, fc.oneof(valuesOf(type.values ?? { kind: 'json' }, depth - 1), nothing), {
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

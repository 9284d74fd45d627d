import assert from 'node:assert/strict';
import { finish } from '@apichain/meta';
import { decodeObject, DecodeError, decodingObject, type Type } from '@apichain/scheme';
import fc from 'fast-check';
import { valuesOf } from './typed-values.fixture.ts';
import { builtinType } from './types.ts';

const kinds = [
  ['', 'ConfigMap'],
  ['', 'Pod'],
  ['apps', 'Deployment'],
  ['apiextensions.k8s.io', 'CustomResourceDefinition'],
] as const;

/** The result of decoding, or its error, with the order of all members. */
function outcome(decode: () => unknown): string {
  try {
    return JSON.stringify(decode());
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

const wrong = fc.constantFrom<unknown>('text', 7, true, { unknown: [{ inside: 1 }] }, [{ unknown: 1 }, 'x', []]);

/** The value with the values at `places` replaced by one that may not fit. */
function spoilt(value: unknown, places: readonly number[], by: unknown): unknown {
  let at = 0;
  const walk = (inner: unknown): unknown => {
    if (places.includes(at++)) return by;
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [key, walk(member)]));
  };
  return walk(value);
}

describe('decoding in steps', () => {
  for (const [group, kind] of kinds) {
    const type: Type | undefined = builtinType({ group, version: 'v1', kind });
    it(`has the result of decoding in one step: ${kind}`, () => {
      assert(type !== undefined);
      const places = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 });
      fc.assert(
        fc.property(valuesOf(type, 7), places, wrong, fc.integer({ min: 1, max: 5 }), (value, at, by, members) => {
          const given = spoilt(value, at, by);
          const inSteps = outcome(() => finish(decodingObject(given, type, {}, members)));
          assert.equal(
            inSteps,
            outcome(() => decodeObject(given, type)),
          );
        }),
        { numRuns: 500 },
      );
    });
  }

  it('takes steps in proportion to the members', () => {
    const type = builtinType({ group: '', version: 'v1', kind: 'Pod' });
    assert(type !== undefined);
    const many = <T>(item: (i: number) => T): T[] => Array.from({ length: 20_000 }, (_, i) => item(i));
    const values = {
      labels: { metadata: { labels: Object.fromEntries(many((i) => [`k${i}`, ''])) } },
      'labels in reverse': { metadata: { labels: Object.fromEntries(many((i) => [`k${99_999 - i}`, ''])) } },
      finalizers: { metadata: { finalizers: many(() => '') } },
      containers: { spec: { containers: many(() => ({ name: '' })) } },
      'unknown fields': Object.fromEntries(many((i) => [`k${i}`, ''])),
    };
    for (const [name, value] of Object.entries(values)) {
      let steps = 0;
      for (const work = decodingObject(value, type); work.next().done !== true;) steps++;
      assert(steps >= 19, `${name}: ${steps} steps`);
    }
  });
});

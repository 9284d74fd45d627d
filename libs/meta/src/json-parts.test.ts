import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJson } from './json.ts';
import { memberCount, OmittedMembers, parsingJson, type Omits } from './json-parts.ts';
import { finish } from './turns.ts';

const members = (count: number, value: (i: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, value(i)]));
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const read = (value: unknown, omits?: Omits): unknown => finish(parsingJson(bytes(value), omits));

describe('parsingJson', () => {
  const texts = members(10_000, (i) => `value "${i}" \\ , {[`);
  const filler = 'x'.repeat(70_000);

  it('reads what parseJson reads', () => {
    for (const value of [
      { texts, filler },
      { a: { b: { texts, list: Object.values(texts) } }, z: 1 },
      { lists: Array.from({ length: 50 }, () => Object.values(texts).slice(0, 600)), end: [] },
      { objects: Array.from({ length: 9_000 }, (_, i) => ({ i, empty: {}, list: [i, [i]] })), empty: {} },
      Array.from({ length: 20_000 }, (_, i) => i),
      { big: Array.from({ length: 9_000 }, () => 9_007_199_254_740_993n.toString()), floats: [1.5, -0.1], filler },
    ])
      assert.deepEqual(read(value), parseJson(bytes(value)));
    const exact = Buffer.from(`{"a":[${'9007199254740993,1.0,'.repeat(8_000)}0],"__proto__":{"a":1},"1":2}`);
    assert.deepEqual(finish(parsingJson(exact)), parseJson(exact));
    const spaced = Buffer.from(JSON.stringify({ texts, filler, list: [texts, texts] }, null, 2));
    assert.deepEqual(finish(parsingJson(spaced)), parseJson(spaced));
  });

  it('reads any document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, at) => {
        const list = Array.from({ length: 4_000 }, (_, i) => ({ [`k${i}`]: 'value' }));
        list.splice(at * 1_000, 0, { value: JSON.stringify(value) });
        const document = { value, list, nested: { value, texts, again: [value] } };
        assert.deepEqual(read(document), parseJson(bytes(document)));
      }),
      { numRuns: 10 },
    );
  });

  it('reads a large document in many steps', () => {
    const work = parsingJson(bytes({ texts: members(45_000, (i) => `value${i}`) }));
    let steps = 0;
    while (work.next().done !== true) steps++;
    assert(steps >= 15, `${steps} steps`);
  });

  it('reads deep documents', () => {
    const deep = Buffer.from(`${'{"a":'.repeat(5_000)}${JSON.stringify(texts)}${'}'.repeat(5_000)}`);
    let value = finish(parsingJson(deep));
    for (let i = 0; i < 5_000; i++) value = (value as { a: unknown }).a;
    assert.deepEqual(value, texts);
  });

  it('counts the members that are omitted', () => {
    const omitted: string[] = [];
    const value = read({ metadata: { name: 'a', managedFields: [texts], labels: { a: 'b' } }, data: texts }, (path) => {
      omitted.push(path.join('.'));
      return path.at(-1) === 'managedFields' || path[0] === 'data';
    });
    assert.deepEqual(omitted, ['metadata', 'metadata.managedFields', 'data']);
    const { metadata, data } = value as { metadata: Record<string, unknown>; data: object };
    assert.deepEqual([metadata['name'], metadata['labels']], ['a', { a: 'b' }]);
    assert.deepEqual(metadata['managedFields'], new OmittedMembers(1));
    assert.equal(memberCount(data), 10_000);
    assert.equal(memberCount({ a: 1 }), 1);
    assert.equal(memberCount(undefined), 0);
  });

  it('reads the members that are asked of a large object, whatever their letters', () => {
    const asked = ['key-5', 'key-9999', 'a "b" \\\\ \u2028 é', 'absent'];
    const document = {
      spec: { ...texts, [asked[2] ?? '']: { filler, asked: 1 } },
      list: Object.values(texts),
      end: filler,
    };
    for (const json of [bytes(document), Buffer.from(JSON.stringify(document).replaceAll('9', '\\u0039'))]) {
      const value = finish(parsingJson(json, ([name, ...deeper]) => deeper.length === 0 && name === 'spec' && asked));
      const { spec, ...others } = value as typeof document;
      for (const name of asked) assert.deepEqual(spec[name], (document.spec as Record<string, unknown>)[name]);
      assert.deepEqual(others, { list: document.list, end: filler });
    }
    const plain = bytes({ spec: members(10_000, (i) => `value ${i}`), filler });
    const { spec } = finish(parsingJson(plain, () => ['key-77'])) as { spec: Record<string, unknown> };
    assert.equal(spec['key-77'], 'value 77');
    assert(Object.keys(spec).length < 3_000, `${Object.keys(spec).length} members`);
    const list = bytes({ list: Object.values(texts), filler });
    assert.deepEqual(finish(parsingJson(list, () => ['0'])), parseJson(list));
  });

  it('throws as parseJson does', () => {
    assert.throws(() => finish(parsingJson(Buffer.from(`{"a":[${'1,'.repeat(50_000)}1e999]}`))), /1e999/);
  });
});

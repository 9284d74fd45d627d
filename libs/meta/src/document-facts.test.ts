import assert from 'node:assert/strict';
import { deepClone } from './deep.ts';
import { isWholeFloat } from './document-facts.ts';
import { parseJson, parseJsonStrict } from './json.ts';
import type { JsonArray, JsonObject } from './types.ts';

describe('facts of a document', () => {
  it('are none of a text that says nothing beside its values', () => {
    for (const text of ['{"a":[1,{"b":"x"}],"c":{}}', '[]', '1', '{"a":"\\\\\\""}'])
      assert.equal(parseJsonStrict(text).facts, undefined, text);
  });

  it('tell members named again by their places', () => {
    const { facts } = parseJsonStrict('{"l":[0,{"a":{"b":1,"b":2},"a":{"c":3,"c":4}}],"d":5}');
    const element = facts?.repeats?.within.get('l')?.within.get(1);
    const [former] = element?.former.get('a') ?? [];
    assert.deepEqual(former?.value, { b: 2 });
    assert.deepEqual(
      former.repeats?.former.get('b')?.map(({ value }) => value),
      [1],
    );
    assert.deepEqual([...(element?.within.get('a')?.former.keys() ?? [])], ['c']);
    assert.deepEqual([...(facts?.repeats?.within.keys() ?? [])], ['l']);
  });

  it('leave no trace of a value that another has replaced', () => {
    const { value, facts } = parseJsonStrict('{"o":{"a":{"b":1,"b":1},"a":1},"n":1.0,"n":1}');
    assert.equal(facts?.repeats?.within.get('o')?.within.size, 0);
    assert.equal(isWholeFloat(value as object, 'n'), false);
  });

  it('stay with whole floats in copies', () => {
    const document = parseJson('{"spec":{"a":1.0,"b":1,"list":[1,2.0]}}') as { spec: JsonObject & { list: JsonArray } };
    for (const { spec } of [document, deepClone(document), { ...document, spec: { ...document.spec } }]) {
      assert.deepEqual(
        ['a', 'b'].map((key) => isWholeFloat(spec, key)),
        [true, false],
      );
      assert.deepEqual(
        [0, 1].map((i) => isWholeFloat(spec.list, i)),
        [false, true],
      );
    }
    assert.equal(JSON.stringify(document), '{"spec":{"a":1,"b":1,"list":[1,2]}}');
  });
});

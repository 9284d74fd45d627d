import assert from 'node:assert/strict';
import { applyJsonPatch, decodeJsonPatch, JsonPatchTooLargeError } from './json-patch.ts';

const document = { data: { a: 'b', list: [1, 2, 3], none: null } };

describe('applyJsonPatch', () => {
  it('applies every operation and leaves the original alone', () => {
    const before = structuredClone(document);
    const result = applyJsonPatch(document, [
      { op: 'test', path: '/data/a', value: 'b' },
      { op: 'add', path: '/data/list/-', value: 4 },
      { op: 'add', path: '/data/list/0', value: 0 },
      { op: 'remove', path: '/data/list/-1' },
      { op: 'replace', path: '/data/missing', value: 'added' },
      { op: 'copy', from: '/data/a', path: '/data/x~1y~0z' },
      { op: 'move', from: '/data/a', path: '/data/moved' },
      { op: 'test', path: '/data/none', value: null },
      { op: 'test', path: '/data/absent' },
      { op: 'remove', path: '/data/none' },
    ]);
    assert.deepEqual(result, { data: { list: [0, 1, 2, 3], missing: 'added', 'x/y~z': 'b', moved: 'b' } });
    assert.deepEqual(document, before);
  });
  it('sets __proto__ as an ordinary member', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    assert(typeof result === 'object' && result !== null && Object.hasOwn(result, '__proto__'));
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
  it('replaces and tests the whole document', () => {
    assert.deepEqual(applyJsonPatch(document, [{ op: 'replace', path: '', value: { a: 1 } }]), { a: 1 });
    assert.deepEqual(applyJsonPatch({ a: 1 }, [{ op: 'test', path: '', value: { a: 1n } }]), { a: 1 });
  });
  for (const [operation, message] of [
    [{ op: 'test', path: '/data/a', value: 'z' }, 'testing value /data/a failed: test failed'],
    [
      { op: 'remove', path: '/data/zz' },
      "error in remove for path: '/data/zz': Unable to remove nonexistent key: zz: missing value",
    ],
    [{ op: 'add', path: '/x/y', value: 1 }, 'add operation does not apply: doc is missing path: "/x/y": missing value'],
    [
      { op: 'add', path: '/data/list/9', value: 1 },
      "error in add for path: '/data/list/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [
      { op: 'replace', path: '/data/list/9', value: 1 },
      'replace operation does not apply: doc is missing key: /data/list/9: missing value',
    ],
    [
      { op: 'move', from: '/data/zz', path: '/data/q' },
      "error in move for path: 'zz': Unable to remove nonexistent key: zz: missing value",
    ],
    [{ op: 'frob', path: '/data' }, 'Unexpected kind: frob'],
    [{ op: 'add', value: 1 }, 'add operation failed to decode path: missing value'],
  ] as const) {
    it(`says ${message.slice(0, 50)}`, () =>
      assert.throws(() => applyJsonPatch(document, [operation]), { name: 'JsonPatchError', message }));
  }
  it('is bounded', () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'b' }));
    assert.throws(() => applyJsonPatch(document, many), JsonPatchTooLargeError);
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/k${i}` })).map((o, i) => ({
      ...o,
      from: i === 0 ? '/data' : `/data`,
      path: `/data/k${i}`,
    }));
    assert.throws(() => applyJsonPatch(document, doubling), /exceeding the limit 3145728/);
  });
});

describe('decodeJsonPatch', () => {
  it('names unknown fields and refuses other shapes', () => {
    assert.deepEqual(decodeJsonPatch([{ op: 'add', path: '/a', value: 1, x: 1 }]).unknownFields, ['[0].x']);
    assert.throws(() => decodeJsonPatch({ op: 'add' }), {
      message: 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    });
  });
});

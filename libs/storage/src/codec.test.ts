import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { jsonCodec } from './codec.ts';
import type { ReadDefaults } from './storage.ts';

describe('jsonCodec', () => {
  const codec = jsonCodec();
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', labels: { b: '1', a: '2' } }, spec: { x: 1 } };
  const text = (json: Buffer) => json.toString();

  it('writes neither resourceVersion nor selfLink, and the same bytes for the same object', () => {
    const stored = codec.encode({ ...pod, metadata: { ...pod.metadata, resourceVersion: '5', selfLink: '/x' } });
    assert.equal(
      text(stored),
      '{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"2","b":"1"},"name":"a"},"spec":{"x":1}}\n',
    );
    const { spec, ...head } = pod;
    assert.deepEqual(codec.encode({ spec, ...head }), stored);
  });
  it('orders names by their bytes, also numbers and characters beyond U+FFFF', () => {
    const names = { '\u{1F600}': 1, '\uFF5E': 2, a: { 9: 1, 10: 2, '-': 3 }, b: [{ '\u{1F601}': 1, '\uE000': 2 }] };
    const own = '"spec":{"a":{"-":3,"10":2,"9":1},"b":[{"\uE000":2,"\u{1F601}":1}],"\uFF5E":2,"\u{1F600}":1}}';
    const { metadata } = pod;
    const stored = text(codec.encode({ kind: 'Pod', apiVersion: 'v1', metadata, spec: names }));
    assert.ok(stored.endsWith(`${own}\n`), stored);
    assert.ok(text(codec.decode(Buffer.from(stored), 42)).endsWith(own));
    assert.ok(text(codec.present({ ...pod, spec: names }, 42)).endsWith(own));
    const { a, ...beyond } = names;
    assert.ok(
      text(codec.present({ ...pod, spec: beyond }, 42)).endsWith(own.replace(/"a":\{.*?\},/, '')),
      'without numbers',
    );
    assert.ok(text(codec.present({ ...pod, spec: { a } }, 42)).endsWith('"spec":{"a":{"-":3,"10":2,"9":1}}}'));
  });
  it('adds the resourceVersion to its own bytes, and replaces an existing one', () => {
    const served = codec.decode(codec.encode(pod), 42);
    assert.match(text(served), /^\{"kind":"Pod","apiVersion":"v1","metadata":\{"resourceVersion":"42","labels"/);
    assert.match(text(codec.decode(served, 7)), /"metadata":\{"resourceVersion":"7","labels"/);
    assert.equal(
      text(codec.decode(Buffer.from('{"kind":"A","apiVersion":"v1","metadata":{}}'), 1)),
      '{"kind":"A","apiVersion":"v1","metadata":{"resourceVersion":"1"}}',
    );
    assert.equal(
      text(codec.decode(Buffer.from('{"kind":"A","apiVersion":"v1","metadata":{"resourceVersion":"9"}}'), 10)),
      '{"kind":"A","apiVersion":"v1","metadata":{"resourceVersion":"10"}}',
    );
  });
  const readDefaults: ReadDefaults = {
    mayLack: (json) => json.toString().endsWith(',"status":{}}'),
    complete: (object) =>
      Object.keys(object['status'] ?? {}).length === 0 ? { ...object, status: { phase: 'Pending' } } : object,
  };
  it('adds fields that a stored object lacks, and requests a rewrite', () => {
    const claims = jsonCodec({ readDefaults });
    const claim = { kind: 'Claim', apiVersion: 'v1', metadata: { name: 'a' } };
    const stored = claims.encode({ ...claim, status: {} });
    assert.equal(
      text(claims.decode(stored, 3)),
      '{"kind":"Claim","apiVersion":"v1","metadata":{"resourceVersion":"3","name":"a"},"status":{"phase":"Pending"}}',
    );
    assert.equal(claims.isCurrent(stored), false);
    const again = claims.encode({ ...claim, status: { phase: 'Pending' } });
    assert.deepEqual(claims.decode(again, 3), claims.decode(stored, 3));
    assert.equal(claims.isCurrent(again), true);
  });
  it('adds fields that another form lacks', () => {
    const form = {
      encode: (object: KubeObject) => Buffer.from(`!${JSON.stringify(object)}`),
      has: (v: Buffer) => v[0] === 33,
    };
    const fromForeign = (value: Buffer): KubeObject | undefined =>
      form.has(value)
        ? { status: { phase: 'Pending' }, ...(JSON.parse(value.toString().slice(1)) as KubeObject) }
        : undefined;
    const claims = jsonCodec({ readDefaults, storedForm: form, fromForeign });
    const claim = { kind: 'Claim', apiVersion: 'v1', metadata: { name: 'a' } };
    assert.equal(claims.isCurrent(claims.encode(claim)), false);
    assert.equal(claims.isCurrent(claims.encode({ status: { phase: 'Bound' }, ...claim })), true);
  });
  it('normalizes objects that other programs wrote', () => {
    const foreign = Buffer.from(
      '{"apiVersion":"v1","kind":"Pod","spec":{"n":9223372036854775807},"metadata":{"name":"a"}}',
    );
    assert.equal(
      text(codec.decode(foreign, 3)),
      '{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"3","name":"a"},"spec":{"n":9223372036854775807}}',
    );
  });
  it('serves what kube-apiserver stored in one line, whatever the order of its first members', () => {
    const served = '{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"3","name":"a"},"spec":{"x":"é"}}';
    for (const head of ['"kind":"Pod","apiVersion":"v1"', '"apiVersion":"v1","kind":"Pod"'])
      for (const end of ['}}', '}}\n'])
        assert.equal(
          text(codec.decode(Buffer.from(`{${head},"metadata":{"name":"a"},"spec":{"x":"é"${end}`), 3)),
          served,
        );
    const bare = Buffer.from('{"apiVersion":"example.com/v1","kind":"A","metadata":{}}\n');
    assert.equal(
      text(codec.decode(bare, 1)),
      '{"kind":"A","apiVersion":"example.com/v1","metadata":{"resourceVersion":"1"}}',
    );
    const inFront = { kind: 'A', apiVersion: 'v1', metadata: { name: 'a' }, data: 1 };
    assert.equal(text(codec.encode(inFront)), '{"apiVersion":"v1","data":1,"kind":"A","metadata":{"name":"a"}}\n');
    assert.equal(
      text(codec.decode(codec.encode(inFront), 1)),
      '{"kind":"A","apiVersion":"v1","metadata":{"resourceVersion":"1","name":"a"},"data":1}',
    );
  });
  it('refuses values that were cut off', () => {
    const stored = codec.encode({ ...pod, spec: { text: 'a text' } });
    for (const length of [stored.length - 4, stored.length - 9, 60, 20])
      assert.throws(() => codec.decode(stored.subarray(0, length), 1), /JSON/);
  });
  it('keeps keys such as __proto__', () => {
    const json = '{"kind":"A","apiVersion":"v1","metadata":{"name":"a"},"data":{"z":1,"__proto__":{"a":1}}}';
    const served = text(codec.decode(codec.encode(JSON.parse(json) as KubeObject), 1));
    assert.match(served, /"data":\{"__proto__":\{"a":1\},"z":1\}/);
  });
});

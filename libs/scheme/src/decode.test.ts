import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { deepClone, factsOfLiterals, parseJsonStrict } from '@apichain/meta';
import { canonicalize, decodeObject, DecodeError } from './decode.ts';
import { forgetEmptied, holdsEmptied, wasEmpty } from './decoder.ts';
import { structOf } from './struct.fixture.ts';
import type { Field, ProtoEmbedding, Type } from './type.ts';

const scalar = (kind: Type['kind'], format?: string): Type => (format === undefined ? { kind } : { kind, format });
const string = scalar('string');

const item = structOf('core.v1.Item', [
  { name: 'name', type: string },
  { name: 'size', type: scalar('integer', 'int32'), omitempty: true },
  { name: 'weight', type: scalar('integer', 'int64'), pointer: true, omitempty: true },
]);
const spec = structOf('core.v1.ThingSpec', [
  { name: 'items', type: { kind: 'array', items: item } },
  { name: 'labels', type: { kind: 'map', values: string }, omitempty: true },
  { name: 'raw', type: scalar('bytes'), omitempty: true },
  { name: 'when', type: scalar('time'), omitempty: true },
  { name: 'at', type: scalar('time'), omitzero: true },
  { name: 'wait', type: scalar('duration'), pointer: true, omitempty: true },
  { name: 'port', type: scalar('intOrString'), pointer: true, omitempty: true },
  { name: 'amount', type: scalar('quantity'), pointer: true, omitempty: true },
  { name: 'any', type: scalar('rawExtension'), pointer: true, omitempty: true },
  { name: 'on', type: scalar('boolean'), omitempty: true },
  { name: 'ratio', type: scalar('number', 'double'), omitempty: true },
]);
const thing = structOf('core.v1.Thing', [
  { name: 'kind', type: string, omitempty: true },
  { name: 'spec', type: spec, omitempty: true },
]);

const decode = (value: unknown) => decodeObject(value, thing);
const decodeSpec = (value: unknown) => (decode({ spec: value }).object['spec'] ?? {}) as Record<string, unknown>;
const fails = (value: unknown, message: string) =>
  assert.throws(
    () => decode(value),
    (error: unknown) => error instanceof DecodeError && error.message === message,
  );

describe('decodeObject', () => {
  it('writes and leaves out zero values as Go does', () => {
    assert.equal(JSON.stringify(decode({}).object), '{"spec":{"items":null,"when":null}}');
    assert.equal(
      JSON.stringify(decodeSpec({ items: [{ size: 0, weight: 0 }, null], labels: {}, raw: '', on: false, ratio: 0 })),
      '{"items":[{"name":"","weight":0},{"name":""}],"when":null}',
    );
  });

  it('keeps no text of which a quantity is a part', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let at = 0; at < 50; at++) {
      const whole = Buffer.alloc(1 << 20, `${2_000_000_000_000_001 + 2 * at}`).toString();
      const amount = whole.slice(0, 16);
      assert.equal(decodeSpec({ amount })['amount'], amount);
    }
    const kept = heap() - before;
    assert.ok(kept < 10 << 20, `${kept} bytes`);
  });

  it('records empty collections until they are filled', () => {
    const decoded = decodeSpec({ labels: {} });
    assert.ok(wasEmpty(decoded, 'labels') && holdsEmptied(decoded));
    decoded['labels'] = { a: 'b' };
    assert.ok(!wasEmpty(decoded, 'labels') && !holdsEmptied(decoded));
  });

  it('wraps integers and orders free objects of maps that the server has merged, as FromUnstructured does', () => {
    const value = { spec: { items: [{ name: 'a', size: 4294967297 }], any: { b: [{ d: 1, c: 2 }], a: 1 } } };
    fails(value, 'json: cannot unmarshal number 4294967297 into Go struct field Item.spec.items.size of type int32');
    const { object: merged } = decodeObject(value, thing, { unstructured: true });
    assert.equal(
      JSON.stringify(merged['spec']),
      '{"items":[{"name":"a","size":1}],"when":null,"any":{"a":1,"b":[{"c":2,"d":1}]}}',
    );
    const written = decodeObject({ spec: { any: { b: 1, a: 1 } } }, thing).object['spec'];
    assert.equal(JSON.stringify((written as Record<string, unknown>)['any']), '{"b":1,"a":1}');
  });

  it('reports unreadable values before values of the wrong type, else the first error', () => {
    const time = 'parsing time "nope" as "2006-01-02T15:04:05Z07:00": cannot parse "nope" as "2006"';
    fails({ kind: 5, spec: { labels: 7, when: 'nope', amount: 'x' } }, time);
    fails(
      { kind: 5, spec: { port: {}, when: 'nope' } },
      'json: cannot unmarshal object into Go struct field ThingSpec.spec.port of type int32',
    );
    fails(
      { spec: { on: 1, raw: '%', items: 'x' } },
      'json: cannot unmarshal number into Go struct field ThingSpec.spec.on of type bool',
    );
    fails({ spec: { raw: '%', on: 1 } }, 'illegal base64 data at input byte 0');
  });

  it('takes bytes one by one too, and null bytes in a map as none', () => {
    assert.equal(decodeSpec({ raw: [104, 105, null] })['raw'], 'aGkA');
    fails(
      { spec: { raw: [1, 256] } },
      'json: cannot unmarshal number 256 into Go struct field ThingSpec.spec.raw of type uint8',
    );
    const data = structOf('core.v1.Data', [{ name: 'data', type: { kind: 'map', values: scalar('bytes') } }]);
    assert.deepEqual(decodeObject({ data: { a: null } }, data).object, { data: { a: '' } });
  });

  it('takes null as unset', () => {
    assert.deepEqual(decodeSpec({ items: null, labels: { a: null }, port: null, at: null }), {
      items: null,
      labels: { a: '' },
      when: null,
    });
  });

  it('puts fields in declaration order and map keys in order', () => {
    const { object: made } = decode({ spec: { labels: { b: '1', a: '2' }, items: [] }, kind: 'Thing' });
    assert.equal(JSON.stringify(made), '{"kind":"Thing","spec":{"items":[],"labels":{"a":"2","b":"1"},"when":null}}');
  });

  it('makes an empty list null only for storage', () => {
    const { object: made } = decode({ spec: { items: [] } });
    assert.deepEqual(made, { spec: { items: [], when: null } });
    assert.deepEqual(canonicalize(made, thing), { spec: { items: null, when: null } });
  });

  it('drops unknown fields and reports their paths', () => {
    const { object: made, unknownFields } = decode({ Kind: 'x', spec: { items: [{ nAme: 'a' }], foo: 1 }, bar: {} });
    assert.deepEqual(unknownFields, ['Kind', 'spec.items[0].nAme', 'spec.foo', 'bar']);
    assert.deepEqual(made, { spec: { items: [{ name: '' }], when: null } });
  });

  it('counts at most 100 unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, i]));
    assert.equal(decode(many).unknownFields.length, 100);
  });

  it('normalizes values', () => {
    const made = decodeSpec({
      raw: 'YWJj\n',
      at: '2001-02-03T04:05:06.9+01:00',
      wait: '90m',
      port: 'http',
      amount: '0.5',
      any: { z: [1], a: null },
    });
    assert.deepEqual(made, {
      items: null,
      raw: 'YWJj',
      when: null,
      at: '2001-02-03T03:05:06Z',
      wait: '1h30m0s',
      port: 'http',
      amount: '500m',
      any: { z: [1], a: null },
    });
  });

  it('names the innermost struct and the whole path of a wrong type', () => {
    const cannot = 'json: cannot unmarshal';
    fails([], `${cannot} array into Go value of type v1.Thing`);
    fails({ kind: 1 }, `${cannot} number into Go struct field Thing.kind of type string`);
    fails({ spec: 'x' }, `${cannot} string into Go struct field Thing.spec of type v1.ThingSpec`);
    fails({ spec: { items: {} } }, `${cannot} object into Go struct field ThingSpec.spec.items of type []v1.Item`);
    fails({ spec: { items: ['a'] } }, `${cannot} string into Go struct field ThingSpec.spec.items of type v1.Item`);
    fails(
      { spec: { items: [{ name: true }] } },
      `${cannot} bool into Go struct field Item.spec.items.name of type string`,
    );
    fails({ spec: { labels: { a: 1 } } }, `${cannot} number into Go struct field ThingSpec.spec.labels of type string`);
    fails(
      { spec: { labels: [] } },
      `${cannot} array into Go struct field ThingSpec.spec.labels of type map[string]string`,
    );
    fails({ spec: { at: 5 } }, `${cannot} number into Go struct field ThingSpec.spec.at of type string`);
    fails({ spec: { port: 1.5 } }, `${cannot} number 1.5 into Go struct field ThingSpec.spec.port of type int32`);
  });

  it('names the inline structs that hold a field of the wrong type', () => {
    const within = (typeName: string, inner?: ProtoEmbedding) => ({ number: 1, typeName, ...(inner && { inner }) });
    const rules = structOf('core.v1.Named', [
      { name: 'names', type: { kind: 'array', items: scalar('string') } },
      { name: 'verbs', type: { kind: 'array', items: scalar('string') }, protoEmbedded: within('core.v1.WithVerbs') },
      { name: 'groups', type: scalar('string'), protoEmbedded: within('core.v1.WithVerbs', within('core.v1.Rule')) },
    ]);
    const type = structOf('core.v1.Policy', [{ name: 'rules', type: rules }]);
    const failsAt = (value: unknown, message: string) =>
      assert.throws(() => decodeObject({ rules: value }, type), {
        message: `json: cannot unmarshal ${message}`,
      });
    failsAt({ names: 1 }, 'number into Go struct field Named.rules.names of type []string');
    failsAt({ verbs: [1] }, 'number into Go struct field Named.rules.WithVerbs.verbs of type string');
    failsAt({ groups: 1 }, 'number into Go struct field Named.rules.WithVerbs.Rule.groups of type string');
    assert.deepEqual(decodeObject({ rules: { names: [], x: 1 } }, type).unknownFields, ['rules.x']);
  });

  it('names the whole path of a wrong type in a schema that reads itself', () => {
    const schema: { -readonly [K in keyof Type]: Type[K] } = { kind: 'object', name: 'core.v1.Schema' };
    const fields: Field[] = [
      { name: 'type', type: scalar('string') },
      { name: 'items', type: { kind: 'json', name: 'core.v1.SchemaOrArray', items: schema } },
    ];
    schema.fields = fields;
    schema.byName = new Map(fields.map((field) => [field.name, field]));
    assert.throws(() => decodeObject({ items: { items: [{ type: 1 }] } }, schema), {
      message: 'json: cannot unmarshal number into Go struct field Schema.items.items.type of type string',
    });
  });

  it('checks the range of integers', () => {
    const cannot = 'json: cannot unmarshal number';
    const size = (value: unknown) => ({ spec: { items: [{ size: value }] } });
    fails(size(3000000000), `${cannot} 3000000000 into Go struct field Item.spec.items.size of type int32`);
    const weight = (value: unknown) => decodeSpec({ items: [{ weight: value }] })['items'];
    assert.deepEqual(weight(9223372036854775807n), [{ name: '', weight: 9223372036854775807n }]);
    fails(
      { spec: { items: [{ weight: 9223372036854775808n }] } },
      `${cannot} 9223372036854775808 into Go struct field Item.spec.items.weight of type int64`,
    );
  });

  it('quotes numbers as they were written', () => {
    const facts = factsOfLiterals(new Map([['spec.items[0].size', '1.0']]));
    assert.throws(
      () => decodeObject({ spec: { items: [{ size: 1 }] } }, thing, { facts }),
      /cannot unmarshal number 1\.0 into Go struct field Item\.spec\.items\.size of type int32/,
    );
  });

  it('returns the errors of the parsers of formatted texts', () => {
    fails({ spec: { raw: '@' } }, 'illegal base64 data at input byte 0');
    fails({ spec: { wait: 'x' } }, 'time: invalid duration "x"');
    fails(
      { spec: { amount: '1x' } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  });

  it('treats __proto__ as a key like any other', () => {
    const value = JSON.parse('{"__proto__":1,"spec":{"labels":{"__proto__":"x"}}}') as unknown;
    const { object: made, unknownFields } = decode(value);
    assert.deepEqual(unknownFields, ['__proto__']);
    const labels = (made['spec'] as Record<string, unknown>)['labels'] as object;
    assert.deepEqual(Object.keys(labels), ['__proto__']);
    assert.equal(Object.getPrototypeOf(labels), Object.prototype);
  });

  it('records which lists and maps were given as empty', () => {
    const made = decodeSpec({ labels: {} });
    assert.equal(JSON.stringify(made), '{"items":null,"when":null}');
    assert.equal(wasEmpty(made, 'labels'), true);
    assert.equal(holdsEmptied([{ inner: made }]), true);
    assert.equal(holdsEmptied(decodeSpec({ labels: null })), false);
    assert.equal(wasEmpty(decodeSpec({ labels: null }), 'labels'), false);
  });

  it('keeps that in copies, without effect on extracted values', () => {
    const made = decodeSpec({ labels: {} });
    const { items: _, ...rest } = made;
    for (const copy of [{ ...made }, rest, Object.assign({}, made), deepClone(made)])
      assert.equal(wasEmpty(copy, 'labels'), true);
    const copy = deepClone({ inner: made });
    forgetEmptied(copy.inner, 'labels');
    assert.equal(holdsEmptied(copy), false);
    assert.equal(holdsEmptied(made), true);
  });

  it('keeps empty lists and maps on request', () => {
    const { object: made } = decodeObject({ spec: { labels: {} } }, thing, { keepEmpty: true });
    assert.deepEqual(made, { spec: { items: null, labels: {}, when: null } });
  });
});

describe('canonicalize', () => {
  it('gives equal objects equal bytes', () => {
    const a = { spec: { on: true, labels: { x: '1', a: '2' }, extra: undefined }, kind: 'Thing' };
    const b = { kind: 'Thing', spec: { labels: { a: '2', x: '1' }, on: true } };
    assert.equal(JSON.stringify(canonicalize(a, thing)), JSON.stringify(canonicalize(b, thing)));
  });
});

describe('members named several times', () => {
  const decodeText = (json: string) => {
    const { value, facts } = parseJsonStrict(json);
    return decodeObject(value, thing, { facts });
  };
  const read = (json: string) => decodeText(json).object['spec'] as Record<string, unknown>;
  const problem = (json: string) => {
    try {
      read(json);
    } catch (error) {
      if (error instanceof DecodeError) return error.message;
      throw error;
    }
    return '';
  };

  it('merge structs and maps, and null clears only maps and pointers', () => {
    const spec = read(
      '{"spec":{"labels":{"a":"1","b":"1"},"on":true,"amount":"1","wait":"1s"},"spec":{"labels":{"b":"2"},"on":null,"wait":null}}',
    );
    assert.deepEqual(spec, { items: null, labels: { a: '1', b: '2' }, when: null, amount: '1', on: true });
    assert.deepEqual(read('{"spec":{"labels":{"a":"1"},"labels":null,"labels":{"c":"3"}},"spec":null}'), {
      items: null,
      labels: { c: '3' },
      when: null,
    });
  });

  it('merge lists by index, also with remains of a longer list', () => {
    const items = '[{"name":"a","size":1},{"name":"b","weight":2}]';
    const itemsOf = (...lists: string[]) =>
      read(`{"spec":{${lists.map((list) => `"items":${list}`).join()}}}`)['items'];
    assert.deepEqual(itemsOf(items, '[{"name":"c"}]'), [{ name: 'c', size: 1 }]);
    assert.deepEqual(itemsOf(items, '[null]', '[{"size":3},{"name":"d"}]'), [
      { name: 'a', size: 3 },
      { name: 'd', weight: 2 },
    ]);
    assert.deepEqual(itemsOf(items, '[]', '[{"size":3}]'), [{ name: '', size: 3 }]);
  });

  it('are all decoded: the first error is reported, and unknown fields of each', () => {
    assert.match(
      problem('{"spec":{"on":1,"on":true}}'),
      /cannot unmarshal number into Go struct field ThingSpec.spec.on/,
    );
    assert.match(problem('{"spec":{"labels":{"a":1,"a":"b"}}}'), /number into Go struct field ThingSpec.spec.labels/);
    const { unknownFields } = decodeText('{"spec":{"x":1},"spec":{"y":2,"x":1}}');
    assert.deepEqual(unknownFields, ['spec.x', 'spec.y']);
  });

  it('are identified by their position, so that a copy of the document decodes equally', () => {
    const size = fc.constantFrom('1', '2.0', '1e1', '2.5', '"x"', 'null');
    const member = fc.oneof(
      fc.tuple(fc.constantFrom('labels'), fc.constantFrom('{"a":"1","a":"2"}', '{"a":1,"a":"2"}', '{}', 'null')),
      fc.tuple(fc.constantFrom('on'), fc.constantFrom('true', '1', 'null')),
      fc.tuple(
        fc.constantFrom('items'),
        fc.tuple(size, size, size).map(([a, b, c]) => `[{"size":${a}},{"size":${b},"size":${c},"x":1}]`),
      ),
    );
    const spec = fc.array(member, { maxLength: 4 }).map((members) => members.map(([k, v]) => `"${k}":${v}`).join());
    const outcome = (decode: () => unknown) => {
      try {
        return decode();
      } catch (error) {
        if (error instanceof DecodeError) return error.message;
        throw error;
      }
    };
    let changed = 0;
    fc.assert(
      fc.property(fc.array(spec, { minLength: 1, maxLength: 3 }), (specs) => {
        const { value, facts } = parseJsonStrict(`{${specs.map((members) => `"spec":{${members}}`).join()}}`);
        const copies = [deepClone(value), structuredClone(value), JSON.parse(JSON.stringify(value)) as unknown];
        const expected = outcome(() => decodeObject(value, thing, { facts }));
        for (const copy of copies)
          assert.deepEqual(
            outcome(() => decodeObject(copy, thing, { facts })),
            expected,
          );
        // Without its facts a document has another meaning. The decoder gets them only from its caller.
        const bare = outcome(() => decodeObject(value, thing));
        assert.deepEqual(
          outcome(() => decodeObject(JSON.parse(JSON.stringify(value)), thing)),
          bare,
        );
        if (!isDeepStrictEqual(bare, expected)) changed++;
      }),
      { seed: 1 },
    );
    assert.ok(changed > 10, String(changed));
  });
});

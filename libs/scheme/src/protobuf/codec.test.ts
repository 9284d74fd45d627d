import assert from 'node:assert/strict';
import { isStatusError, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import fc from 'fast-check';
import { structOf } from '../struct.fixture.ts';
import type { Type } from '../type.ts';
import { frameWatchEvent, ProtobufCodec } from './codec.ts';
import { protobufMagic, readEnvelope } from './envelope.ts';
import { ProtobufError } from './wire.ts';

const string: Type = { kind: 'string' };
const optional = { omitempty: true, pointer: true } as const;

const tree: { -readonly [K in keyof Type]: Type[K] } = { kind: 'object', name: 'test.v1.Tree' };
tree.fields = [
  { name: 'child', type: tree, proto: 1, ...optional },
  { name: 'leaf', type: string, proto: 2 },
];
tree.byName = new Map(tree.fields.map((field) => [field.name, field]));

const metadata = structOf('meta.v1.ObjectMeta', [
  { name: 'name', type: string, proto: 1, omitempty: true },
  { name: 'labels', type: { kind: 'map', values: string }, proto: 11, omitempty: true },
]);
const thing = structOf('test.v1.Thing', [
  { name: 'kind', type: string, omitempty: true },
  { name: 'apiVersion', type: string, omitempty: true },
  { name: 'metadata', type: metadata, proto: 1, omitempty: true },
  { name: 'big', type: { kind: 'integer', format: 'int64' }, proto: 2 },
  { name: 'small', type: { kind: 'integer', format: 'int32' }, proto: 3, ...optional },
  { name: 'ratio', type: { kind: 'number' }, proto: 4 },
  { name: 'data', type: { kind: 'map', values: { kind: 'bytes' } }, proto: 5, omitempty: true },
  { name: 'when', type: { kind: 'time' }, proto: 6, ...optional },
  { name: 'precise', type: { kind: 'microTime' }, proto: 7, ...optional },
  { name: 'for', type: { kind: 'duration' }, proto: 8, ...optional },
  { name: 'size', type: { kind: 'quantity' }, proto: 9, ...optional },
  { name: 'port', type: { kind: 'intOrString' }, proto: 10, ...optional },
  { name: 'tree', type: tree, proto: 11, ...optional },
  { name: 'numbers', type: { kind: 'array', items: { kind: 'integer', format: 'int32' } }, proto: 12, omitempty: true },
  { name: 'raw', type: { kind: 'rawExtension' }, proto: 13 },
  {
    name: 'inline',
    type: string,
    proto: 1,
    omitempty: true,
    protoEmbedded: { number: 200, typeName: 'test.v1.Inline' },
  },
]);

const typeOf = ({ group, version, kind }: GroupVersionKind): Type | undefined => {
  if (group !== 'test' || version !== 'v1') return undefined;
  if (kind === 'Thing') return thing;
  return kind === 'Table' ? structOf('meta.v1.Table', [{ name: 'rows', type: string }]) : undefined;
};
const codec = new ProtobufCodec({ typeOf });

const full: KubeObject = {
  kind: 'Thing',
  apiVersion: 'test/v1',
  metadata: { name: 'é☃😀', labels: { a: '1', ä: '2', '\u{10000}': '3', '\uffff': '4' } },
  big: 9007199254740993n,
  small: -1,
  ratio: 1.5,
  data: { k: 'AAEC/w==', empty: '' },
  when: '2026-01-02T03:04:05Z',
  precise: '1969-12-31T23:59:59.123456Z',
  for: '1h0m1.5s',
  size: '100Mi',
  port: 'http',
  tree: { child: { leaf: 'x'.repeat(200) }, leaf: '' },
  numbers: [0, 1, -1, 2147483647],
  raw: { any: ['thing', 1] },
  inline: 'embedded',
};

describe('ProtobufCodec', () => {
  it('round-trips', () => {
    assert.deepEqual(codec.decode(codec.encode(full)), full);
  });

  it('writes maps in the byte order of their keys', () => {
    const text = codec.encode(full).toString('utf8');
    const places = ['a', 'ä', '\uffff', '\u{10000}'].map((key) => text.indexOf(key, text.indexOf('é☃😀') + 4));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
  });

  it('keeps keys that are names of Object.prototype', () => {
    const labels: unknown = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const bytes = codec.encode({ ...full, metadata: { name: 'x', labels: labels as Record<string, string> } });
    const decoded = codec.decode(bytes);
    assert.equal(JSON.stringify(decoded['metadata']), '{"name":"x","labels":{"__proto__":"1","constructor":"2"}}');
    assert.equal(Object.getPrototypeOf(decoded), Object.prototype);
  });

  it('merges repeated messages, lets the last scalar win and accepts packed numbers', () => {
    const body = Buffer.concat([
      field(1, Buffer.concat([field(1, Buffer.from('first')), field(1, Buffer.from('last'))])),
      field(1, field(11, Buffer.concat([field(1, Buffer.from('k')), field(2, Buffer.from('v'))]))),
      field(12, Buffer.from([1, 2, 3])),
    ]);
    const decoded = codec.decodeMessage(body, thing);
    assert.deepEqual(decoded, { metadata: { name: 'last', labels: { k: 'v' } }, numbers: [1, 2, 3] });
  });

  it('skips unknown fields, including groups', () => {
    const group = Buffer.from([(100 << 3) | 0x83, 6, 0x08, 5, (100 << 3) | 0x84, 6].map((byte) => byte & 0xff));
    const body = Buffer.concat([field(99, Buffer.from('?')), group, field(1, field(1, Buffer.from('n')))]);
    assert.deepEqual(codec.decodeMessage(body, thing), { metadata: { name: 'n' } });
  });

  it('decodes embedded objects', () => {
    const inner = codec.encode({ ...full, raw: null, metadata: { name: 'inner' } });
    const body = field(13, field(1, inner));
    const decoded = codec.decodeMessage(body, thing);
    const { raw } = decoded;
    assert.ok(typeof raw === 'object' && raw !== null && !Array.isArray(raw));
    assert.equal(raw['kind'], 'Thing');
    assert.deepEqual(raw['metadata'], { name: 'inner' });
  });

  it('writes the keys of maps in the order of their bytes', () => {
    const data = { '\u{1f4a9}': 'AAAA', '\uffee': 'AAAA', a: 'AAAA' };
    const sorted = { a: 'AAAA', '\uffee': 'AAAA', '\u{1f4a9}': 'AAAA' };
    assert(codec.encode({ ...full, data }).equals(codec.encode({ ...full, data: sorted })));
    assert.deepEqual(Object.keys(codec.decode(codec.encode({ ...full, data }))['data'] ?? {}), Object.keys(sorted));
  });

  it('frames watch events', () => {
    const event = codec.encodeWatchEvent('ADDED', full);
    assert.equal(event.readUInt32BE(0), event.length - 4);
    assert.deepEqual(event, frameWatchEvent('ADDED', codec.encode(full)));
    assert.equal(event.subarray(4, 11).toString('latin1'), '\n\x05ADDED');
  });

  it('refuses kinds without a protobuf form with 406', () => {
    for (const [kind, name] of [
      ['Table', 'v1.Table'],
      ['Other', 'unstructured.Unstructured'],
    ]) {
      assert.throws(
        () => codec.encode({ kind: kind ?? '', apiVersion: 'test/v1', metadata: {} }),
        (error) => {
          assert.ok(isStatusError(error, 'NotAcceptable'));
          assert.match(error.message, new RegExp(`^object \\*${name ?? ''} does not implement the protobuf`));
          return true;
        },
      );
    }
  });

  it('uses the expected kind and version when the envelope names none', () => {
    const bytes = codec.encodeAs({ metadata: { name: 'x' } }, thing);
    assert.deepEqual(codec.decode(bytes), {});
    assert.equal(codec.decode(bytes, { group: 'test', version: 'v1', kind: 'Thing' })['kind'], 'Thing');
  });

  it('uses the expected version when the version of the envelope is unknown', () => {
    for (const apiVersion of ['a/b/c', 'example.com/', '/']) {
      const typeMeta = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from('Thing'))]);
      const bytes = Buffer.concat([protobufMagic, field(1, typeMeta)]);
      assert.equal(codec.decode(bytes, { group: 'test', version: 'v1', kind: 'Thing' })['apiVersion'], 'test/v1');
    }
  });
});

describe('hostile protobuf', () => {
  const refused = (bytes: Buffer, message?: RegExp) => {
    assert.throws(
      () => codec.decode(bytes),
      (error) => {
        assert.ok(error instanceof Error);
        if (message !== undefined) assert.match(error.message, message);
        return true;
      },
    );
  };
  const envelope = (raw: Buffer) => {
    const typeMeta = Buffer.concat([field(1, Buffer.from('test/v1')), field(2, Buffer.from('Thing'))]);
    return Buffer.concat([protobufMagic, field(1, typeMeta), field(2, raw)]);
  };

  it('without an envelope is refused', () => {
    refused(Buffer.alloc(0), /empty data/);
    refused(Buffer.from('{}'), /expected prefix \[107 56 115 0\]/);
    refused(protobufMagic, /empty body/);
  });

  it('cut short anywhere is an error or a shorter object, never anything else', () => {
    const bytes = codec.encode(full);
    for (let length = 0; length < bytes.length; length++) {
      try {
        readEnvelope(bytes.subarray(0, length));
      } catch (error) {
        assert.ok(error instanceof ProtobufError, String(error));
      }
    }
  });

  it('with lengths beyond its end is refused before anything is allocated', () => {
    refused(envelope(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x07])), /unexpected EOF/);
    refused(envelope(Buffer.from([0x0a, ...Array<number>(9).fill(0xff), 1])), /negative length/);
    refused(envelope(Buffer.from([0x10, ...Array<number>(11).fill(0xff)])), /integer overflow/);
    refused(envelope(Buffer.from([0x0c])), /^proto: Thing: wiretype end group/);
    refused(envelope(Buffer.from([0x9f, 0x06])), /illegal wireType 7/);
    refused(envelope(Buffer.from([0x00, 0x00])), /^proto: Thing: illegal tag 0 /);
    refused(envelope(Buffer.from([0x08, 0x01])), /^proto: wrong wireType = 0 for field Metadata$/);
    refused(Buffer.concat([protobufMagic, Buffer.from([0x10, 0x01])]), /^proto: wrong wireType = 0 for field Raw$/);
  });

  it('nested without end is refused', () => {
    let nested: Buffer = Buffer.alloc(0);
    for (let i = 0; i < 20_000; i++) nested = field(1, nested);
    refused(envelope(field(11, nested)), /max nesting depth/);
    refused(envelope(Buffer.alloc(1_000_000, 0x0b + 96)), /unexpected EOF|wireType/);
  });

  it('with malformed UTF-8 is read with replacement characters, as in JSON', () => {
    const decoded = codec.decode(envelope(field(1, field(1, Buffer.from([0x61, 0xff, 0x62])))));
    assert.deepEqual(decoded['metadata'], { name: 'a\ufffdb' });
  });

  it('of any bytes gives an object or an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          codec.decode(envelope(Buffer.from(bytes)));
        } catch (error) {
          assert.ok(error instanceof Error && !(error instanceof RangeError) && !(error instanceof TypeError));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('made by changing bytes of a good object gives an object or an error', () => {
    const good = codec.encode(full);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(good);
        bytes[at] = byte;
        try {
          codec.decode(bytes);
        } catch (error) {
          assert.ok(error instanceof Error && !(error instanceof RangeError) && !(error instanceof TypeError));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/** A length-delimited field. */
function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) | 128);
  return Buffer.from([...out, rest]);
}

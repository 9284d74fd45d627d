import assert from 'node:assert/strict';
import { finish, type KubeObject } from '@apichain/meta';
import { CborError } from '@apichain/scheme';
import { jsonCodec } from '@apichain/storage';
import { metadataRules } from './metadata-rules.ts';
import { refreshingCodec } from './object-codec.ts';
import { readStoredCbor, storedCbor } from './stored-cbor.ts';
import { VersionSchema } from './version-schema.ts';

const kind = { group: 'example.com', version: 'v1', kind: 'Widget' };
const widget: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', labels: { l: 'm' }, generation: 1 },
  spec: { n: 1.5, big: 9007199254740993n, list: [], text: '"<\u2028é' },
};
/** The bytes that kube-apiserver would store for the widget. Names are sorted by length first. */
const bytes = Buffer.concat([
  Buffer.from('d9d9f7a4', 'hex'),
  Buffer.from('D'),
  Buffer.from('kindFWidgetDspec'),
  Buffer.from('a4', 'hex'),
  Buffer.from('An'),
  Buffer.from('f93e00', 'hex'),
  Buffer.from('Cbig'),
  Buffer.from('1b0020000000000001', 'hex'),
  Buffer.from('Dlist'),
  Buffer.from('80', 'hex'),
  Buffer.from('DtextG"<\u2028é'),
  Buffer.from('Hmetadata'),
  Buffer.from('a3', 'hex'),
  Buffer.from('DnameAaFlabels'),
  Buffer.from('a1', 'hex'),
  Buffer.from('AlAmJgeneration'),
  Buffer.from('01', 'hex'),
  Buffer.from('JapiVersionNexample.com/v1'),
]);
const json =
  '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7","generation":1,"labels":{"l":"m"},"name":"a"},' +
  '"spec":{"big":9007199254740993,"list":[],"n":1.5,"text":"\\"\\u003c\\u2028é"}}';

const schema = (more: object) =>
  new VersionSchema(
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...more } },
        },
      },
    },
    { metadata: metadataRules, objectMeta: { kind: 'object' } },
  );
const reading = jsonCodec({ fromForeign: readStoredCbor });
const writing = jsonCodec({ fromForeign: readStoredCbor, storedForm: storedCbor });

describe('custom resources in CBOR', () => {
  it('are stored in the deterministic form of kube-apiserver, without the resourceVersion', () => {
    const read = { ...widget, metadata: { ...widget.metadata, resourceVersion: '7', selfLink: '/x' } };
    assert.equal(writing.encode(read).toString('latin1'), bytes.toString('latin1'));
    const { value, attributes } = finish(writing.encodingWithAttributes(read));
    assert.ok(value.equals(bytes));
    assert.deepEqual(attributes.labels, { l: 'm' });
  });

  it('are read as the JSON that clients get, whichever form is written', () => {
    for (const codec of [reading, writing]) {
      assert.equal(codec.decode(bytes, 7).toString(), json);
      assert.equal(codec.decode(reading.encode(widget), 7).toString(), json);
      assert.equal(codec.decode(codec.decode(bytes, 3), 7).toString(), json);
      assert.equal(codec.present(widget, 7).toString(), json);
    }
  });

  it('are written again when their form is not the one that is written', () => {
    const stored = reading.encode(widget);
    assert.deepEqual([reading.isCurrent(bytes), reading.isCurrent(stored)], [false, true]);
    assert.deepEqual([writing.isCurrent(bytes), writing.isCurrent(stored)], [true, false]);
  });

  it('get the defaults of the schema, which may be newer than the value', () => {
    const present = schema({ properties: { added: { type: 'string', default: 'x' } } });
    for (const codec of [reading, writing]) {
      const refreshing = refreshingCodec(codec, () => present, kind);
      const expected = JSON.parse(json.replace('"list"', '"added":"x","list"')) as unknown;
      assert.deepEqual(JSON.parse(refreshing.decode(bytes, 7).toString()), expected);
      assert.deepEqual(refreshing.decode(bytes, 7), refreshing.decode(reading.encode(widget), 7));
      assert.equal(
        refreshingCodec(codec, () => schema({}), kind)
          .decode(bytes, 7)
          .toString(),
        json,
      );
    }
  });

  it('are refused when they are damaged', () => {
    const refuses = (value: Buffer, message: string | RegExp) => {
      for (const codec of [reading, writing]) assert.throws(() => codec.decode(value, 1), { message });
    };
    const cbor = (hex: string) => Buffer.from(`d9d9f7${hex}`, 'hex');
    refuses(cbor(''), 'unexpected EOF');
    refuses(bytes.subarray(0, -1), 'unexpected EOF');
    refuses(Buffer.concat([bytes, Buffer.of(0)]), /1 bytes of extraneous data/);
    refuses(cbor('a2416101416102'), /found duplicate map key "a"/);
    refuses(cbor('bb00ffffffffffffff'), /exceeded max number of key-value pairs/);
    for (const noMap of ['01', '80', 'f6', '4161']) refuses(cbor(noMap), 'cbor: the stored value is not a map');
    refuses(cbor('a0'), 'the object has no kind, apiVersion and metadata');
    assert.throws(() => readStoredCbor(cbor('f6')), CborError);
    assert.equal(readStoredCbor(Buffer.from('{}')), undefined);
  });
});

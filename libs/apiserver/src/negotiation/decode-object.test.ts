import assert from 'node:assert/strict';
import { isStatusError } from '@apichain/meta';
import { ProtobufCodec, type Type } from '@apichain/scheme';
import { testContext, widgetCodec } from '../registry/widgets.fixture.ts';
import { decodeObjectBody, type ObjectDecoder } from './decode-object.ts';
import { standardFormats } from '@apichain/request';

const { serializers } = standardFormats;

const strictProblems = async (text: string, decoder: ObjectDecoder): Promise<string> => {
  const body = { bytes: Buffer.from(text), format: serializers[0], fieldValidation: 'Strict' } as const;
  try {
    await decodeObjectBody(testContext(), body, decoder);
  } catch (error) {
    if (isStatusError(error, 'BadRequest')) return error.message.replace(/^.*strict decoding error: /, '');
    throw error;
  }
  return '';
};

describe('strict decoding', () => {
  const text =
    '{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"a"},"bogus":{"x":1,"x":2},"spec":{"a":1,"a":2},"bogus":3}';
  const kinds = { name: 'test', recognizes: () => true };

  it('reports errors of a typed decoder in order, without unknown fields', async () => {
    const codec = { ...widgetCodec, custom: false };
    assert.equal(await strictProblems(text, { codec, kinds }), 'unknown field "bogus", duplicate field "spec.a"');
  });

  it('reports repeated fields of an untyped object first', async () => {
    assert.equal(
      await strictProblems(text, { codec: widgetCodec, kinds }),
      'duplicate field "bogus.x", duplicate field "spec.a", duplicate field "bogus", unknown field "bogus"',
    );
  });

  it('reads the members of YAML in the order of their names', async () => {
    const yaml = 'spec: {}\nkind: Widget\napiVersion: test.example.com/v1\nmetadata: {name: a, b: 1}\n';
    const seen: string[] = [];
    const decode: typeof widgetCodec.decode = (value) => {
      seen.push(JSON.stringify(value));
      return widgetCodec.decode(value);
    };
    const format = serializers.find(({ name }) => name === 'yaml') ?? serializers[0];
    const body = { bytes: Buffer.from(yaml), format, fieldValidation: 'Strict' } as const;
    await decodeObjectBody(testContext(), body, { codec: { ...widgetCodec, custom: false, decode }, kinds });
    assert.deepEqual(seen, [
      '{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"b":1,"name":"a"},"spec":{}}',
    ]);
  });

  it('decodes another kind as its own type before it is refused', async () => {
    const other = '{"apiVersion":"test.example.com/v2","kind":"Widget","metadata":{"name":"a"},"bogus":1}';
    const codec = { ...widgetCodec, custom: false };
    const known = { ...kinds, unknownFieldsOf: () => ['bogus'] };
    assert.equal(await strictProblems(other, { codec, kinds: known }), 'unknown field "bogus"');
    const misfit = (): never => {
      throw new Error('json: of another type');
    };
    assert.match(
      await strictProblems(other, { codec, kinds: { ...kinds, unknownFieldsOf: misfit } }),
      /: json: of another/,
    );
    const gadget = other.replace('Widget', 'Gadget');
    assert.match(await strictProblems(gadget, { codec, kinds: known }), /unknown conversion/);
  });

  it('distinguishes an unsupported version of the kind from other kinds', async () => {
    const other = '{"apiVersion":"old.example.com/v1","kind":"Widget","metadata":{"name":"a"}}';
    const codec = { ...widgetCodec, custom: false };
    assert.match(await strictProblems(other, { codec, kinds }), /unknown conversion/);
    assert.equal(
      await strictProblems(other, { codec, kinds: { ...kinds, readsAs: () => true } }),
      'the API version in the data (old.example.com/v1) does not match the expected API version (test.example.com/v1)',
    );
  });

  it('leaves an untyped object of another kind to validation', async () => {
    const other = '{"apiVersion":"test.example.com/v1","kind":"Other","metadata":{"name":"a"}}';
    assert.equal(await strictProblems(other, { codec: widgetCodec, kinds }), '');
  });

  it('reads the kind from members of any case, and from the last one', async () => {
    const codec = { ...widgetCodec, custom: false };
    const onlyWidgets = { ...kinds, recognizes: () => false };
    const kindOf = async (members: string) => {
      const body = `{"apiVersion":"test.example.com/v1",${members},"metadata":{"name":"a"}}`;
      return (await strictProblems(body, { codec, kinds: onlyWidgets })).replace(/ is registered.*/, '');
    };
    assert.match(await kindOf('"kind":"Widget","KIND":"Other"'), /no kind "Other"/);
    const kelvin = await kindOf('"kind":"Widget","\u212aind":"Other"');
    assert.match(kelvin, /no kind "Other"/);
    assert.match(await kindOf('"kind":"Widget","kind":"Other","kind":null'), /no kind "Other"/);
    assert.match(
      await kindOf('"kind":5,"kind":"Widget"'),
      /cannot unmarshal number into Go struct field .kind of type string/,
    );
  });

  it('accepts the versions / and GROUP/, but no other group', async () => {
    const codec = { ...widgetCodec, custom: false };
    for (const apiVersion of ['/', 'test.example.com/'])
      assert.equal(await strictProblems(`{"apiVersion":"${apiVersion}"}`, { codec, kinds }), '');
    assert.equal(
      await strictProblems('{"apiVersion":"v1/"}', { codec, kinds }),
      `Widget in version "" cannot be handled as a Widget: Object 'apiVersion' is missing in '{"apiVersion":"v1/"}'`,
    );
  });

  it('names an untyped object of another kind by its kind, and one without a kind as the decoders do', async () => {
    const refused = async (text: string, fieldValidation: 'Strict' | 'Ignore') => {
      const body = { bytes: Buffer.from(text), format: serializers[0], fieldValidation };
      try {
        await decodeObjectBody(testContext(), body, { codec: widgetCodec, kinds });
      } catch (error) {
        if (isStatusError(error, 'BadRequest')) return error.message;
        throw error;
      }
      return '';
    };
    assert.equal(
      await refused('{"apiVersion":"test.example.com/v1","kind":"A","kind":"B"}', 'Strict'),
      'B in version "v1" cannot be handled as a B: strict decoding error: duplicate field "kind"',
    );
    assert.match(
      await refused('{"Kind":"A"}', 'Strict'),
      /^the object provided is unrecognized \(must be of type Widget\): Object 'Kind'/,
    );
    assert.equal(
      await refused('{"Kind":"A"}', 'Ignore'),
      `A in version "v1" cannot be handled as a Widget: Object 'Kind' is missing in '{"Kind":"A"}'`,
    );
  });

  it('gives one error for every invalid body of the Scale of a custom resource', async () => {
    const codec = { ...widgetCodec, decodeFailure: 'no kind is registered' };
    for (const body of ['{', '[]', '{"kind":"Widget","apiVersion":"v2"}', text]) {
      assert.equal(
        await strictProblems(body, { codec, kinds: { ...kinds, recognizes: () => false } }),
        'no kind is registered',
      );
    }
    assert.equal(await strictProblems('{}', { codec, kinds }), '');
  });
});

describe('kinds in bodies', () => {
  const known = { name: 'test', recognizes: ({ kind }: { kind: string }) => kind !== 'Nope' };
  const typed = { codec: { ...widgetCodec, custom: false }, kinds: known };
  const refusal = async (
    apiVersion: string,
    kind: string,
    decoder: ObjectDecoder = typed,
    fieldValidation = 'Warn' as const,
  ) => {
    const bytes = Buffer.from(JSON.stringify({ apiVersion, kind, spec: {} }));
    try {
      await decodeObjectBody(testContext(), { bytes, format: serializers[0], fieldValidation }, decoder);
    } catch (error) {
      if (isStatusError(error, 'BadRequest')) return error.message.replace(/^.*? cannot be handled as a Widget: /, '');
      throw error;
    }
    return '';
  };

  it('of the internal version are reported', async () => {
    const internal = 'test.example.com/__internal';
    assert.equal(
      await refusal(internal, 'Nope'),
      'no kind "Nope" is registered for the internal version of group "test.example.com" in scheme "test"',
    );
    assert.equal(await refusal(internal, 'Other'), 'converting (test.Other) to (test.Widget): unknown conversion');
    assert.equal(
      await refusal(internal, 'Widget'),
      `the API version in the data (${internal}) does not match the expected API version (test.example.com/v1)`,
    );
    assert.equal(await strictProblems(`{"apiVersion":"${internal}","spec":{}}`, typed), 'unknown field "spec"');
  });

  it('without a version are accepted in every version', async () => {
    assert.equal(
      await refusal('any.example.com/v7', 'Status'),
      'converting (v1.Status) to (test.Widget): unknown conversion',
    );
  });

  it('with non-printable characters are quoted as in Go', async () => {
    assert.match(
      await refusal('test.example.com/v\0', 'Nope'),
      /^no kind "Nope" is registered for version ".*\/v\\x00"/,
    );
  });

  it('of a custom resource in another version are refused with decoder errors', async () => {
    const unknownFieldsIn = () => {
      throw new Error('json: no metadata');
    };
    const decoder = { codec: { ...widgetCodec, unknownFieldsIn }, kinds: known };
    assert.equal(await refusal('test.example.com/v2', 'Widget', decoder), 'json: no metadata');
  });
});

describe('protobuf bodies', () => {
  const name = { name: 'name', proto: 1, type: { kind: 'string' } } as const;
  const metadata: Type = { kind: 'object', name: 'ObjectMeta', fields: [name] };
  const widget: Type = {
    kind: 'object',
    name: 'test.v1.Widget',
    fields: [{ name: 'metadata', proto: 1, type: metadata }],
  };
  const protobuf = new ProtobufCodec({ typeOf: () => widget });
  const kinds = { name: 'test', recognizes: () => true };
  const format = serializers.find((serializer) => serializer.name === 'protobuf') ?? serializers[0];
  const message = Buffer.from([0x0a, 3, 0x0a, 1, 0x61]);
  const typed = { codec: { ...widgetCodec, custom: false }, kinds, protobuf };
  const read = (bytes: Buffer) => decodeObjectBody(testContext(), { bytes, format, fieldValidation: 'Strict' }, typed);
  const bodyOf = (raw: Buffer) => Buffer.concat([Buffer.from('k8s\0\x12'), Buffer.from([raw.length]), raw]);
  const problem = async (bytes: Buffer): Promise<string> => {
    try {
      await read(bytes);
    } catch (error) {
      if (isStatusError(error, 'BadRequest')) return error.message;
      throw error;
    }
    return '';
  };

  it('without a kind have the kind of the endpoint', async () => {
    assert.deepEqual(await read(bodyOf(message)), {
      apiVersion: 'test.example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
    });
  });

  it('are named when their message is malformed, and not when their envelope is', async () => {
    assert.equal(
      await problem(bodyOf(message.subarray(0, 4))),
      'Widget in version "v1" cannot be handled as a Widget: unexpected EOF',
    );
    assert.equal(
      await problem(Buffer.from('k8s\0\x12\x05')),
      'the object provided is unrecognized (must be of type Widget): unexpected EOF (6b3873001205)',
    );
    assert.equal(
      await problem(Buffer.alloc(0)),
      'the object provided is unrecognized (must be of type Widget): empty data (<empty>)',
    );
  });
});

import assert from 'node:assert/strict';
import { alwaysAllow } from '@apichain/authz';
import { StatusError, type KubeObject } from '@apichain/meta';
import { standardFormats } from '@apichain/request';
import type { Field, Type } from '@apichain/scheme';
import { typedCodec } from '../../registry/typed-codec.ts';
import { defineWidgets, testContext, widget, widgetCodec, widgetKind } from '../../registry/widgets.fixture.ts';
import { DocumentPatcher } from './document-patcher.ts';
import { readJsonPatch } from './json-patch.ts';
import { readMergePatch } from './merge-patch.ts';
import { readStrategicMergePatch } from './strategic-merge-patch.ts';
import { endpointScope, type EndpointScope } from '../scope.ts';

const struct = (name: string, fields: Field[]): Type => ({
  kind: 'object',
  name: `test.v1.${name}`,
  fields,
  byName: new Map(fields.map((field) => [field.name, field])),
});
const string: Type = { kind: 'string' };
const optional = (name: string, type: Type): Field => ({ name, type, omitempty: true });
const typedWidget = struct('Widget', [
  optional('kind', string),
  optional('apiVersion', string),
  optional('metadata', struct('ObjectMeta', [optional('name', string), optional('uid', string)])),
  optional(
    'spec',
    struct('WidgetSpec', [optional('size', { kind: 'integer', format: 'int32' }), optional('color', string)]),
  ),
]);

const kinds = {
  name: 'test/scheme.go:1',
  recognizes: ({ kind }: { kind: string }) => kind === 'Widget' || kind === 'Gadget',
};
const { group, version } = widgetKind;

function scopeOf(codec = widgetCodec, type?: Type): EndpointScope {
  const [storage] = defineWidgets({}, {}, codec).defined.storagesOf({ group, version });
  if (storage === undefined) throw new Error('widgets are not stored');
  const resource = { group, version, resource: 'widgets' };
  return endpointScope(type === undefined ? storage : { ...storage, type }, resource, {
    kinds,
    authorizer: alwaysAllow,
    minRequestTimeoutSeconds: 1800,
  });
}

const typed = scopeOf(typedCodec({ kind: widgetKind, type: typedWidget }), typedWidget);
const custom = scopeOf();
const live = (): KubeObject => ({
  ...widget('x', { spec: { size: 1, color: 'red' } }),
  metadata: { name: 'x', uid: 'u' },
});

const readers = { json: readJsonPatch, merge: readMergePatch, strategic: readStrategicMergePatch };
type PatchType = keyof typeof readers;

function patched(
  scope: EndpointScope,
  type: PatchType,
  patch: string,
  current: KubeObject,
  fieldValidation: 'Warn' | 'Ignore' = 'Warn',
  warnings?: string[],
): Promise<KubeObject> {
  const options = { dryRun: false, fieldManager: 'test', fieldValidation, statedFieldValidation: '', force: false };
  const ctx = testContext(warnings);
  const body = Buffer.from(patch);
  const request = { scope, ctx, name: 'x', options, body, ahead: undefined, formats: standardFormats };
  const patcher = new DocumentPatcher(request, readers[type]);
  return patcher.applyPatchToCurrentObject({ object: current });
}

interface Outcome {
  readonly result: string;
  readonly warnings: string[];
}

async function outcome(
  scope: EndpointScope,
  type: PatchType,
  patch: unknown,
  validation: 'Warn' | 'Ignore' = 'Warn',
  metadata: KubeObject['metadata'] = live().metadata,
): Promise<Outcome> {
  const warnings: string[] = [];
  const text = typeof patch === 'string' ? patch : JSON.stringify(patch);
  try {
    const object = await patched(scope, type, text, { ...live(), metadata }, validation, warnings);
    return { result: JSON.stringify(object['spec']), warnings };
  } catch (error) {
    if (error instanceof StatusError) return { result: `${error.status.code} ${error.message}`, warnings };
    throw error;
  }
}
const resultOf = async (...args: Parameters<typeof outcome>) => (await outcome(...args)).result;
const invalid = (shown: string, message: string) =>
  `422  "" is invalid: patch: Invalid value: ${JSON.stringify(shown)}: ${message}`;

describe('DocumentPatcher', () => {
  it('leaves the stored object as it is, and shares no part of it', async () => {
    const patches: Readonly<Record<PatchType, string>> = {
      json: '[{"op":"replace","path":"/spec/size","value":2}]',
      merge: '{"spec":{"size":2}}',
      strategic: '{"spec":{"size":2}}',
    };
    for (const [type, patch] of Object.entries(patches) as [PatchType, string][])
      for (const scope of type === 'strategic' ? [typed] : [typed, custom]) {
        const current = live();
        const object = await patched(scope, type, patch, current);
        assert.deepEqual(object.spec, { size: 2, color: 'red' });
        object.metadata.labels = { changed: 'later' };
        Object.assign(object.spec ?? {}, { color: 'blue' });
        assert.deepEqual(current, live(), type);
      }
  });

  it('keeps objects of any kind in the order of the patched document', async () => {
    const withRaw = struct('Widget', [...(typedWidget.fields ?? []), optional('raw', { kind: 'rawExtension' })]);
    const scope = scopeOf(typedCodec({ kind: widgetKind, type: withRaw }), withRaw);
    const raw = async (type: PatchType, patch: unknown) =>
      JSON.stringify((await patched(scope, type, JSON.stringify(patch), { ...live(), raw: { d: 1, c: 2 } }))['raw']);
    assert.equal(await raw('merge', { raw: [{ b: 1, a: 2 }] }), '[{"a":2,"b":1}]');
    assert.equal(await raw('merge', {}), '{"d":1,"c":2}');
    assert.equal(await raw('json', [{ op: 'add', path: '/raw', value: { b: 1, a: 2 } }]), '{"b":1,"a":2}');
    assert.equal(await raw('strategic', {}), '{"c":2,"d":1}');
  });

  it('shows a patched document sorted where the patch applied, and unchanged elsewhere', async () => {
    assert.equal(
      await resultOf(typed, 'merge', { spec: { size: 'x' } }),
      invalid(
        '{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"x","uid":"u"},"spec":{"color":"red","size":"x"}}',
        'json: cannot unmarshal string into Go struct field WidgetSpec.spec.size of type int32',
      ),
    );
    assert.equal(
      await resultOf(typed, 'json', [{ op: 'add', path: '/metadata', value: 5 }]),
      invalid(
        '{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":5,"spec":{"size":1,"color":"red"}}',
        'json: cannot unmarshal number into Go struct field Widget.metadata of type v1.ObjectMeta',
      ),
    );
    assert.match(
      await resultOf(custom, 'merge', { kind: null }),
      /"spec\\":{\\"color\\":\\"red\\",\\"size\\":1}}": Object 'Kind' is missing in '/,
    );
  });

  it('shows a list to be merged sorted, and without null members', async () => {
    const shown = '[{"op":"test","path":"/a"},null]';
    const message =
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct";
    const patch = [{ path: '/a', value: null, op: 'test' }, null];
    assert.ok((await resultOf(typed, 'merge', patch, 'Ignore')).startsWith(invalid(shown, message)));
  });

  it('refuses to change the kind', async () => {
    const shown = (kind: string) =>
      `{"apiVersion":"test.example.com/v1","kind":${kind},"metadata":{"name":"x","uid":"u"},"spec":{"size":1,"color":"red"}}`;
    assert.equal(
      await resultOf(typed, 'merge', { kind: 'Foo' }),
      invalid(
        shown('"Foo"'),
        'no kind "Foo" is registered for version "test.example.com/v1" in scheme "test/scheme.go:1"',
      ),
    );
    assert.equal(
      await resultOf(typed, 'merge', { kind: 'Gadget' }),
      invalid(shown('"Gadget"'), 'converting (v1.Gadget) to (test.Widget): unknown conversion'),
    );
    assert.match(
      await resultOf(typed, 'merge', { kind: 5 }),
      /couldn't get version\/kind; json parse error: .* field \.kind of type string$/,
    );
    assert.match(await resultOf(typed, 'merge', { apiVersion: 'a/b/c' }), /: unexpected GroupVersion string: a\/b\/c$/);
    assert.equal(await resultOf(typed, 'strategic', { kind: 'Gadget' }), '{"size":1,"color":"red"}');
    assert.equal(
      await resultOf(custom, 'merge', { kind: 'Gadget', apiVersion: 'foo/v1' }),
      '422 Gadget.foo "x" is invalid: [kind: Invalid value: "Gadget": must be Widget, apiVersion: Invalid value: "foo/v1": must be test.example.com/v1]',
    );
  });

  it('answers 404 for an object without a version', async () => {
    const nothing = { result: undefined, warnings: ['unknown field "metadata"', 'unknown field "spec"'] };
    assert.deepEqual(await outcome(typed, 'merge', { apiVersion: null }), nothing);
    assert.deepEqual(await outcome(typed, 'json', [{ op: 'replace', path: '/apiVersion', value: '' }]), nothing);
    assert.equal(await resultOf(typed, 'merge', { kind: null }), '{"size":1,"color":"red"}');
    assert.equal(await resultOf(typed, 'strategic', { apiVersion: null }), '{"size":1,"color":"red"}');
  });

  it('reports errors after a strategic merge as the converter does, with the remaining patch', async () => {
    const patch = { spec: { $retainKeys: ['size'], size: 'x' } };
    assert.equal(
      await resultOf(typed, 'strategic', patch),
      invalid('map[spec:map[size:x]]', 'unrecognized type: int32'),
    );
    const { warnings } = await outcome(typed, 'strategic', { spec: { zz: 1, b: { c: 1 } }, a: 1 });
    assert.deepEqual(warnings, ['unknown field "a"', 'unknown field "spec.b"', 'unknown field "spec.zz"']);
  });

  it('reports unknown members in the order of the merged document', async () => {
    const { warnings } = await outcome(typed, 'merge', { zz: { b: 1 }, spec: { y: 1, x: 2 }, aa: 1 });
    const fields = ['aa', 'spec.x', 'spec.y', 'zz'];
    assert.deepEqual(
      warnings,
      fields.map((field) => `unknown field "${field}"`),
    );
  });

  it('reports repeated and unknown members of operations in the order of the text', async () => {
    const patch =
      '[{"op":"test","path":"/kind","value":"Widget","foo":1},{"op":"add","path":"/x","path":"/y","value":1}]';
    const { warnings } = await outcome(typed, 'json', patch);
    assert.deepEqual(warnings, [
      'json patch unknown field "[0].foo"',
      'json patch duplicate field "[1].path"',
      'unknown field "y"',
    ]);
  });

  it('shows and checks numbers as they were written', async () => {
    const refused = (size: string) =>
      invalid(
        `{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"x","uid":"u"},"spec":{"color":"red","size":${size}}}`,
        `json: cannot unmarshal number ${size} into Go struct field WidgetSpec.spec.size of type int32`,
      );
    assert.equal(await resultOf(typed, 'merge', '{"spec":{"size":1.0}}'), refused('1.0'));
    const tested = '[{"op":"test","path":"/spec/size","value":1},{"op":"replace","path":"/spec/size","value":2e0}]';
    assert.equal(await resultOf(typed, 'json', tested), refused('2e0'));
    assert.equal(await resultOf(typed, 'strategic', '{"spec":{"size":3.0}}'), '{"size":3,"color":"red"}');
    const notEqual = '422 the server rejected our request due to an error in our request';
    assert.equal(await resultOf(typed, 'json', '[{"op":"test","path":"/spec/size","value":1.0}]'), notEqual);
    const test = { op: 'test', path: '/metadata/name', value: 'a&b' };
    assert.equal(await resultOf(typed, 'json', [test], 'Warn', { name: 'a&b' }), notEqual);
    const written = [{ op: 'add', path: '/metadata/name', value: 'a&b' }, test];
    assert.equal(await resultOf(typed, 'json', written), '{"size":1,"color":"red"}');
  });

  it('reports invalid patches as each decoder does', async () => {
    assert.equal(await resultOf(typed, 'strategic', 'null'), '{"size":1,"color":"red"}');
    assert.equal(await resultOf(typed, 'merge', 'null'), '400 Invalid JSON Patch');
    assert.equal(await resultOf(typed, 'merge', '{', 'Ignore'), '400 Invalid JSON Patch');
    assert.equal(await resultOf(typed, 'merge', '{'), '400 error decoding patch: unexpected end of JSON input');
    assert.match(
      await resultOf(typed, 'merge', '[]', 'Ignore'),
      /^422 .*Invalid value: "\[\]": couldn't get version\/kind/,
    );
    const lenient = (patch: string) => resultOf(typed, 'json', patch, 'Ignore');
    assert.equal(await lenient('5'), '400 json: cannot unmarshal number into Go value of type jsonpatch.Patch');
    assert.equal(await lenient('["x"]'), '400 json: cannot unmarshal string into Go value of type jsonpatch.Operation');
    assert.match(await lenient('[{"op":5}]'), /^422 the server rejected our request/);
  });
});

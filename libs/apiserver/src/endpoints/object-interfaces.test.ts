import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import type { Field, Type } from '@apichain/scheme';
import { typedCodec } from '../registry/typed-codec.ts';
import { defineWidgets, widgetKind } from '../registry/widgets.fixture.ts';
import { objectInterfaces } from './object-interfaces.ts';

describe('the conversions of admission', () => {
  const fields: Field[] = [
    { name: 'apiVersion', type: { kind: 'string' } },
    { name: 'kind', type: { kind: 'string' } },
    { name: 'metadata', type: { kind: 'object', name: 'meta.v1.ObjectMeta', fields: [] } },
  ];
  const type: Type = { kind: 'object', name: 'test.v1.Widget', fields };
  const codec = typedCodec({ kind: widgetKind, type });
  const kinds = { name: 'a/scheme.go:1', recognizes: ({ version }: { version: string }) => version === 'v1' };
  const [storage] = defineWidgets({}, {}, codec).defined.storagesOf(widgetKind);
  assert.ok(storage);
  const interfaces = objectInterfaces(storage, codec, { ...widgetKind, resource: 'widgets' }, kinds);
  const decode = (more: Partial<KubeObject>, strict = false) =>
    interfaces.decode({ apiVersion: 'test.example.com/v1', kind: 'Widget', metadata: {}, ...more }, widgetKind, strict);

  it('have the kind of the request', () => {
    assert.throws(() => decode({ apiVersion: 'test.example.com/v2' }), {
      message: 'no kind "Widget" is registered for version "test.example.com/v2" in scheme "a/scheme.go:1"',
    });
    assert.throws(() => decode({ kind: 'Other' }), {
      message: 'converting (v1.Other) to (test.Widget): unknown conversion',
    });
    assert.equal(decode({ kind: '' }).kind, 'Widget');
  });

  it('have one kind in all versions for a subresource with a kind of its own', () => {
    const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    const resource = { ...widgetKind, resource: 'widgets' };
    const newer = { ...resource, version: 'v2' };
    const equivalents = [resource, newer].map((each) => ({ resource: each, kind: widgetKind, codec }));
    const scale = typedCodec({ kind, type });
    const seen = objectInterfaces({ ...storage, type, equivalents }, scale, resource, kinds);
    assert.deepEqual(
      seen.equivalents.map((each) => [each.resource.version, each.kind.kind]),
      [
        ['v1', 'Scale'],
        ['v2', 'Scale'],
      ],
    );
  });

  it('refuse unknown fields with strict decoding', () => {
    assert.equal(decode({ bogus: 1 })['bogus'], undefined);
    assert.throws(() => decode({ bogus: 1 }, true), { message: 'strict decoding error: unknown field "bogus"' });
  });
});

import assert from 'node:assert/strict';
import type { JsonObject, KubeObject } from '@apichain/meta';
import { jsonCodec } from '@apichain/storage';
import { metadataRules } from './metadata-rules.ts';
import { customCodec, refreshingCodec } from './object-codec.ts';
import { VersionSchema } from './version-schema.ts';

describe('customCodec', () => {
  const kind = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const codec = customCodec({ kind, storageKind: kind, schemas: new Map(), metadata: metadataRules });
  const widget = (metadata: JsonObject): JsonObject => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata });

  it('tells of unknown metadata in order', () => {
    const { unknownFields } = codec.decode(widget({ name: 'a', zzz: 1, aaa: 2 }));
    assert.deepEqual(unknownFields, ['metadata.aaa', 'metadata.zzz']);
  });

  it('leaves out what applied metadata says in another type than its own', () => {
    const metadata = { name: 'a', generation: 1.5, creationTimestamp: 'x', labels: { a: 'b' } };
    assert.throws(() => codec.decode(widget(metadata)), /cannot unmarshal number 1.5|parsing time/);
    assert.deepEqual(codec.decode(widget(metadata), { applied: true }).object.metadata, {
      name: 'a',
      labels: { a: 'b' },
    });
  });

  it('prunes nothing of a CRD that preserves unknown fields, and applies what its schema does not name', () => {
    const spec = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
    const context = { metadata: metadataRules, objectMeta: { kind: 'object' } } as const;
    const object = () => ({ spec: { tags: ['a'], more: { of: 1 } }, extra: true });
    const pruned = object();
    assert.deepEqual(new VersionSchema(version, context).admit(pruned), ['extra', 'spec.more']);
    assert.deepEqual(pruned, { spec: { tags: ['a'] } });
    // A structural schema has a type for each field.
    const nonStructural = { ...version, schema: { openAPIV3Schema: { ...openAPIV3Schema, properties: { spec: {} } } } };
    for (const given of [version, nonStructural]) {
      const schema = new VersionSchema(given, { ...context, preservesUnknownFields: true });
      const kept = object();
      assert.deepEqual(schema.admit(kept), []);
      assert.deepEqual(kept, object());
      const fieldType = schema.type.byName?.get('spec')?.type;
      // A structural schema still says what it knows.
      assert.equal(fieldType?.preserveUnknownFields, given === version ? true : undefined);
      assert.equal(schema.type.preserveUnknownFields, true);
    }
  });

  it('reads stored metadata that another program wrote with faults without what is wrong', () => {
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    const schema = new VersionSchema(version, { metadata: metadataRules, objectMeta: { kind: 'object' } });
    const stored = refreshingCodec(jsonCodec(), () => schema, kind);
    const read = (metadata: unknown): unknown =>
      (
        JSON.parse(
          stored
            .decode(Buffer.from(JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata })), 7)
            .toString(),
        ) as KubeObject
      ).metadata;
    const sound = { resourceVersion: '7', name: 'a', generation: 3, labels: { a: 'not a b' } };
    assert.deepEqual(read(sound), sound);
    assert.deepEqual(
      read({
        name: 'a',
        unknown: 4,
        generation: 'x',
        annotations: { a: 4, b: 'c' },
        finalizers: 'x',
        uid: 5,
        managedFields: 6,
        creationTimestamp: 7,
        labels: { a: 'not a b' },
      }),
      { resourceVersion: '7', name: 'a', generation: 1, labels: { a: 'not a b' } },
    );
    assert.throws(() => read('text'), /has no kind, apiVersion and metadata/);
  });

  it('gives what is stored the defaults of the version that it is stored in', async () => {
    const schemaOf = (version: string, name: string) =>
      new VersionSchema(
        {
          name: version,
          served: true,
          storage: version === 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { a: { type: 'string' }, [name]: { type: 'string', default: 'x' } },
            },
          },
        },
        { metadata: metadataRules, objectMeta: { kind: 'object' } },
      );
    const schemas = new Map([
      ['v1', schemaOf('v1', 'one')],
      ['v2', schemaOf('v2', 'two')],
    ]);
    const second = customCodec({
      kind: { ...kind, version: 'v2' },
      storageKind: kind,
      schemas,
      metadata: metadataRules,
    });
    const stored = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, a: 'b', one: 'x' };
    const { a, one, two } = (await second.fromStorage(stored)) as Record<string, unknown>;
    assert.deepEqual([a, one, two], ['b', undefined, undefined]);
    const written = second.decode({ apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'w' } });
    assert.equal((written.object as Record<string, unknown>)['two'], 'x');
    const dry = second.canonicalize?.(await second.toStorage(written.object)) as Record<string, unknown>;
    assert.deepEqual([dry['one'], dry['two']], ['x', undefined]);
  });
});

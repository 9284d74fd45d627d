import assert from 'node:assert/strict';
import type { JsonObject } from '@apichain/meta';
import { metadataRules } from '../metadata-rules.ts';
import { customCodec } from './object-codec.ts';

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
});

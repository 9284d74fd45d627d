import assert from 'node:assert/strict';
import { finish } from '@apichain/meta';
import { jsonCodec } from './codec.ts';
import { EncodedObject, readingAttributes } from './stored-object.ts';

describe('attributes of stored objects', () => {
  const codec = jsonCodec();
  const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f:key-${i}`, {}]));
  const object = (name: string) => {
    const metadata = { name, labels: { app: 'a' }, managedFields: [{ fieldsV1: members }] };
    const json = Buffer.from(JSON.stringify({ kind: 'Thing', apiVersion: 'v1', metadata, data: members }));
    return new EncodedObject(codec, `/things/${name}`, 7, json);
  };

  it('are read in steps, without the managed fields', () => {
    const objects = ['a', 'b', 'c'].map(object);
    assert(objects.every(({ knowsAttributes }) => !knowsAttributes));
    let steps = 0;
    for (const work = readingAttributes(objects); work.next().done !== true;) steps++;
    assert(steps >= 12, `${steps} steps`);
    assert(objects.every(({ knowsAttributes }) => knowsAttributes));
    const [first] = objects;
    assert.deepEqual(first?.attributes, codec.attributes(first?.json ?? Buffer.alloc(0)));
    assert.deepEqual(first?.attributes.labels, { app: 'a' });
  });

  it('are read once', () => {
    const known = object('a');
    const { attributes } = known;
    finish(readingAttributes([known]));
    assert.equal(known.attributes, attributes);
  });
});

import assert from 'node:assert/strict';
import { type KubeObject } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';
import { deliver } from './delivered-object.ts';
import { storedThing } from './stored-thing.fixture.ts';

describe('the conversion of many objects', () => {
  const calls: number[] = [];
  const convert = (objects: readonly KubeObject[]) => {
    calls.push(objects.length);
    return Promise.resolve(objects.map((object) => ({ ...object, apiVersion: 'v2' })));
  };
  const conversion = { apiVersion: 'v2', shape: 'shape', convert };
  beforeEach(() => {
    calls.length = 0;
  });
  const versions = (items: readonly StoredObject[]) => items.map((item) => item.parse().apiVersion);

  it('is one call for small objects', async () => {
    const items = Array.from({ length: 500 }, (_, i) => storedThing(`a${i}`, 10));
    assert.deepEqual(new Set(versions(await deliver(items, conversion))), new Set(['v2']));
    assert.deepEqual(calls, [500]);
  });

  it('is several calls for large ones, which are not decoded at the same time', async () => {
    const items = Array.from({ length: 5 }, (_, i) => storedThing(`a${i}`, 400_000));
    const delivered = await deliver(items, conversion);
    assert.deepEqual(calls, [2, 2, 1]);
    assert.deepEqual(
      delivered.map((item) => item.parse().metadata.name),
      ['a0', 'a1', 'a2', 'a3', 'a4'],
    );
    await deliver(items, conversion);
    assert.deepEqual(calls, [2, 2, 1], 'converted bytes are kept');
  });
});

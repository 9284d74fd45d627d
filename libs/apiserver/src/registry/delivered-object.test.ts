import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import type { StoredObject, WatchEvent, WatchEventType } from '@apichain/storage';
import { deliver, eventWithObject } from './delivered-object.ts';
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

const object = (key: string): StoredObject => ({
  key,
  revision: 7,
  json: Buffer.from('{}'),
  attributes: { name: key, namespace: '', labels: {}, fields: {} },
  shapes: new Map(),
  parse: () => ({ apiVersion: 'v1', kind: 'Widget', metadata: {} }),
});

/** An event as the watch cache stores it: `frames` is not an own property. */
class Shared implements WatchEvent {
  readonly type: WatchEventType = 'MODIFIED';
  readonly revision = 7;
  readonly object = object('stored');
  readonly #frames = new Map<string, Buffer>();
  get frames(): Map<string, Buffer> {
    return this.#frames;
  }
}

describe('an event with another object', () => {
  it('keeps type and revision, and shares the frames', () => {
    const shared = new Shared();
    const converted = object('converted');
    const event = eventWithObject(shared, converted);
    assert.deepEqual([event.type, event.revision], ['MODIFIED', 7]);
    assert.equal(event.object, converted);
    assert.equal(event.frames, shared.frames);
  });
});

import assert from 'node:assert/strict';
import type { StoredObject, WatchEvent, WatchEventType } from '@apichain/storage';
import { eventWithObject } from './event-with-object.ts';

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

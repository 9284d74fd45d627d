import { parseJson, type KubeObject } from '@apichain/meta';
import { asLargeItem } from '@apichain/request';
import type { StoredObject, WatchEvent } from '@apichain/storage';
import { convertChunk, OtherVersion, type Conversion } from './conversion.ts';
import { bytesOf, chunksOf, LateObject } from './late-object.ts';

/** A stored object in another version; `json` is the converted form. It shares the shapes of the original. */
class DeliveredObject extends OtherVersion implements StoredObject {
  readonly json: Buffer;

  constructor(original: StoredObject, json: Buffer) {
    super(original);
    this.json = json;
  }
  parse(): KubeObject {
    return parseJson(this.json) as KubeObject;
  }
}

/** Whether an object was converted from its stored form, whose attributes it has. */
export const isDelivered = (object: StoredObject): boolean =>
  object instanceof DeliveredObject || object instanceof LateObject;

/** Conversions of more bytes are made one after the other for each user. */
const largeChunk = 64 * 1024;

/**
 * The objects in another version. Objects without cached bytes are converted with one call for each MiB of them. Rejects with the error of the
 * conversion.
 */
export async function deliver(items: readonly StoredObject[], conversion: Conversion): Promise<StoredObject[]> {
  const made = new Map<StoredObject, Buffer>();
  const missing: StoredObject[] = [];
  for (const item of items) {
    const known = item.shapes.get(conversion.shape);
    if (known === undefined) missing.push(item);
    else made.set(item, known);
  }
  for (const chunk of chunksOf(missing)) {
    const converting = () => convertChunk(chunk, conversion);
    const converted = await (bytesOf(chunk) > largeChunk ? asLargeItem(converting) : converting());
    for (const [item, json] of converted) made.set(item, json);
  }
  return items.map((item) => new DeliveredObject(item, made.get(item) ?? item.json));
}

/** Converts the objects of the events with `deliverAll`; the order stays the same. */
export async function deliverEvents(
  events: readonly WatchEvent[],
  deliverAll: (items: readonly StoredObject[]) => Promise<readonly StoredObject[]>,
): Promise<WatchEvent[]> {
  const objects = await deliverAll(events.map(({ object }) => object).filter((object) => object !== undefined));
  let next = 0;
  return events.map((event) => {
    const object = event.object === undefined ? undefined : objects[next++];
    return object === undefined || object === event.object ? event : eventWithObject(event, object);
  });
}

/**
 * The event with another object. It keeps the frames of the original event, which all watchers share. The properties are listed explicitly
 * because `frames` of a shared event is a getter on the prototype, which a spread would not copy.
 */
export function eventWithObject(event: WatchEvent, object: StoredObject): WatchEvent {
  const { type, revision, frames } = event;
  return {
    type,
    revision,
    object,
    // Read only when asked for, because the watch cache makes it on first use.
    get previous() {
      return event.previous;
    },
    frames,
  };
}

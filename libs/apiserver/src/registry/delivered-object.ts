import { parseJson, pause, stringifyJson, type KubeObject } from '@apichain/meta';
import { type ObjectAttributes, type StoredObject, type WatchEvent, readStored } from '@apichain/storage';
import { eventWithObject } from './event-with-object.ts';

/** Converts all objects with one call; the results are in the order of the arguments. */
export type ConvertAll = (objects: readonly KubeObject[]) => Promise<KubeObject[]>;

/** A stored object in another version; `json` is the converted form. It shares the shapes of the original. */
class DeliveredObject implements StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly attributes: ObjectAttributes;
  readonly shapes: Map<string, Buffer>;
  readonly json: Buffer;

  constructor({ key, revision, attributes, shapes }: StoredObject, json: Buffer) {
    this.key = key;
    this.revision = revision;
    this.attributes = attributes;
    this.shapes = shapes;
    this.json = json;
  }
  parse(): KubeObject {
    return parseJson(this.json) as KubeObject;
  }
}

/** Whether an object was converted from its stored form, whose attributes it has. */
export const isDelivered = (object: StoredObject): boolean => object instanceof DeliveredObject;

/**
 * The objects in another version. The converted bytes are cached with each object under the name `shape`. Objects without cached bytes are converted with
 * one call for each MiB of them. Rejects with the error of `convert`.
 */
export async function deliver(
  items: readonly StoredObject[],
  shape: string,
  convert: ConvertAll,
): Promise<StoredObject[]> {
  const made = new Map<StoredObject, Buffer>();
  const missing: StoredObject[] = [];
  for (const item of items) {
    const known = item.shapes.get(shape);
    if (known === undefined) missing.push(item);
    else made.set(item, known);
  }
  for (const chunk of chunksOf(missing)) {
    const objects: KubeObject[] = [];
    for (const item of chunk) objects.push(await readStored(item));
    const converted = await convert(objects);
    for (const [i, item] of chunk.entries()) {
      await pause();
      const json = Buffer.from(stringifyJson(converted[i]));
      item.shapes.set(shape, json);
      made.set(item, json);
    }
  }
  return items.map((item) => new DeliveredObject(item, made.get(item) ?? item.json));
}

/** Objects of more bytes are converted with several calls, so that they are not all decoded at the same time. */
const bytesPerCall = 1024 * 1024;

function* chunksOf(items: readonly StoredObject[]): Iterable<readonly StoredObject[]> {
  let chunk: StoredObject[] = [];
  let bytes = 0;
  for (const item of items) {
    if (chunk.length > 0 && bytes + item.json.length > bytesPerCall) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += item.json.length;
  }
  if (chunk.length > 0) yield chunk;
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

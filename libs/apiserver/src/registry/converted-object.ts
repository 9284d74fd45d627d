import { parseJson, StatusError, stringifyJson, type KubeObject } from '@apichain/meta';
import type { ObjectAttributes, StoredList, StoredObject, WatchEvent, WatchStream } from '@apichain/storage';
import { eventWithObject } from './event-with-object.ts';
import { needsConversion, type ObjectCodec } from './object-codec.ts';

const shapeOf = ({ kind }: ObjectCodec): string => `json;${kind.group}/${kind.version}`;

/**
 * A stored object seen in another version. The converted bytes are kept with the stored ones, so each is made once for
 * all readers.
 */
class ConvertedObject implements StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly attributes: ObjectAttributes;
  readonly shapes: Map<string, Buffer>;
  readonly #stored: StoredObject;
  readonly #codec: ObjectCodec;
  readonly #shape: string;

  constructor(stored: StoredObject, codec: ObjectCodec) {
    this.key = stored.key;
    this.revision = stored.revision;
    this.attributes = stored.attributes;
    this.shapes = stored.shapes;
    this.#stored = stored;
    this.#codec = codec;
    this.#shape = shapeOf(codec);
  }
  get json(): Buffer {
    const made = this.shapes.get(this.#shape);
    if (made !== undefined) return made;
    const json = Buffer.from(stringifyJson(this.parse()));
    this.shapes.set(this.#shape, json);
    return json;
  }
  parse(): KubeObject {
    return this.#codec.fromStorage(this.#stored.parse());
  }
}

/** The same where the bytes came from elsewhere. */
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

type ConvertAll = NonNullable<ObjectCodec['convertAll']>;

/** Converts what has not been converted yet, all at once. */
async function deliver(
  codec: ObjectCodec,
  convertAll: ConvertAll,
  items: readonly StoredObject[],
): Promise<StoredObject[]> {
  const shape = shapeOf(codec);
  const made = new Map<StoredObject, Buffer>();
  const missing: StoredObject[] = [];
  for (const item of items) {
    const known = item.shapes.get(shape);
    if (known === undefined) missing.push(item);
    else made.set(item, known);
  }
  const objects = missing.length === 0 ? [] : await convertAll(missing.map((item) => item.parse()));
  for (const [i, item] of missing.entries()) {
    const json = Buffer.from(stringifyJson(objects[i]));
    item.shapes.set(shape, json);
    made.set(item, json);
  }
  return items.map((item) => new DeliveredObject(item, made.get(item) ?? item.json));
}

/** The object in the version of the endpoint. */
export function inEndpointVersion(codec: ObjectCodec, stored: StoredObject): StoredObject | Promise<StoredObject> {
  if (!needsConversion(codec)) return stored;
  if (codec.convertAll === undefined) return new ConvertedObject(stored, codec);
  return deliver(codec, codec.convertAll, [stored]).then(([first = stored]) => first);
}

export async function listInEndpointVersion(codec: ObjectCodec, list: StoredList): Promise<StoredList> {
  if (!needsConversion(codec)) return list;
  const items =
    codec.convertAll === undefined
      ? list.items.map((item) => new ConvertedObject(item, codec))
      : await deliver(codec, codec.convertAll, list.items);
  return { ...list, items };
}

/** A watch whose objects come in the version of the endpoint; frames stay shared, under names of their own version. */
export function watchInEndpointVersion(codec: ObjectCodec, stream: WatchStream): WatchStream {
  if (!needsConversion(codec)) return stream;
  const { convertAll } = codec;
  const convert = (event: WatchEvent): WatchEvent =>
    event.object === undefined ? event : eventWithObject(event, new ConvertedObject(event.object, codec));
  const convertBatch = async (events: readonly WatchEvent[], all: ConvertAll): Promise<WatchEvent[]> => {
    const objects = events.map(({ object }) => object).filter((object) => object !== undefined);
    const delivered = await deliver(codec, all, objects);
    let next = 0;
    return events.map((event) => {
      const object = event.object === undefined ? undefined : delivered[next++];
      return object === undefined ? event : eventWithObject(event, object);
    });
  };
  // What cannot be converted ends the watch.
  let failed = false;
  return {
    next: async () => {
      if (failed) return undefined;
      const events = await stream.next();
      if (events === undefined) return undefined;
      if (convertAll === undefined) return events.map(convert);
      try {
        return await convertBatch(events, convertAll);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        failed = true;
        stream.stop();
        return [{ type: 'ERROR', revision: events[0]?.revision ?? 0, status: error.status, frames: new Map() }];
      }
    },
    stop: () => stream.stop(),
  };
}

import { stringifyJson, type KubeObject } from '@apichain/meta';
import type { ObjectAttributes, StoredList, StoredObject, WatchEvent, WatchStream } from '@apichain/storage';
import { needsConversion, type ObjectCodec } from './object-codec.ts';

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
    this.#shape = `json;${codec.kind.group}/${codec.kind.version}`;
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

/** The object in the version of the endpoint. */
export function inEndpointVersion(codec: ObjectCodec, stored: StoredObject): StoredObject {
  return needsConversion(codec) ? new ConvertedObject(stored, codec) : stored;
}

export function listInEndpointVersion(codec: ObjectCodec, list: StoredList): StoredList {
  if (!needsConversion(codec)) return list;
  return { ...list, items: list.items.map((item) => new ConvertedObject(item, codec)) };
}

/** A watch whose objects come in the version of the endpoint; frames stay shared, under names of their own version. */
export function watchInEndpointVersion(codec: ObjectCodec, stream: WatchStream): WatchStream {
  if (!needsConversion(codec)) return stream;
  const convert = (event: WatchEvent): WatchEvent =>
    event.object === undefined ? event : { ...event, object: new ConvertedObject(event.object, codec) };
  return {
    next: async () => (await stream.next())?.map(convert),
    stop: () => stream.stop(),
  };
}

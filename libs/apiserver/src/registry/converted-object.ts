import {
  finish,
  formatGroupVersion,
  StatusError,
  stringifyJson,
  type KubeObject,
  type Omits,
  type Work,
} from '@apichain/meta';
import {
  type StoredList,
  type StoredObject,
  type WatchEvent,
  type WatchStream,
  readingStored,
} from '@apichain/storage';
import { OtherVersion, type Conversion, type ConvertAll } from './conversion.ts';
import { deliver, deliverEvents, eventWithObject } from './delivered-object.ts';
import { convertForeignList } from './foreign-objects.ts';
import { needsConversion, type ObjectCodec, type PlainCodec } from './object-codec.ts';

/** The name under which converted bytes are cached with their object. */
const endpointShape = ({ kind }: ObjectCodec): string => `json;${kind.group}/${kind.version}`;

/** The conversion of many objects to the version of the endpoint. */
export const endpointConversion = (codec: ObjectCodec, convert: ConvertAll): Conversion => ({
  apiVersion: formatGroupVersion(codec.kind),
  shape: endpointShape(codec),
  convert,
});

/**
 * A stored object in another version. The converted bytes are cached with the stored object, so that each is made once for
 * all readers.
 */
class ConvertedObject extends OtherVersion implements StoredObject {
  readonly #stored: StoredObject;
  readonly #codec: PlainCodec;
  readonly #shape: string;

  constructor(stored: StoredObject, codec: PlainCodec) {
    super(stored);
    this.#stored = stored;
    this.#codec = codec;
    this.#shape = endpointShape(codec);
  }
  get json(): Buffer {
    return finish(this.encoding());
  }
  *encoding(): Work<Buffer> {
    const made = this.shapes.get(this.#shape);
    if (made !== undefined) return made;
    const json = Buffer.from(stringifyJson(yield* this.parsing()));
    this.shapes.set(this.#shape, json);
    return json;
  }
  parse(): KubeObject {
    return this.#codec.fromStorage(this.#stored.parse());
  }
  *parsing(omits?: Omits): Work<KubeObject> {
    return this.#codec.fromStorage(yield* readingStored(this.#stored, omits));
  }
}

/** The object in the version of the endpoint. */
export function inEndpointVersion(codec: ObjectCodec, stored: StoredObject): StoredObject | Promise<StoredObject> {
  if (!needsConversion(codec)) return stored;
  if (codec.convertAll === undefined) return new ConvertedObject(stored, codec);
  return deliver([stored], endpointConversion(codec, codec.convertAll)).then(([first = stored]) => first);
}

export async function listInEndpointVersion(codec: ObjectCodec, list: StoredList): Promise<StoredList> {
  if (!needsConversion(codec)) return list;
  if (codec.convertAll === undefined)
    return { ...list, items: list.items.map((item) => new ConvertedObject(item, codec)) };
  return { ...list, items: await convertForeignList(list.items, endpointConversion(codec, codec.convertAll)) };
}

/** A watch with objects in the version of the endpoint. Frames are still shared, because their names include the version. */
export function watchInEndpointVersion(codec: ObjectCodec, stream: WatchStream): WatchStream {
  if (!needsConversion(codec)) return stream;
  return codec.convertAll === undefined
    ? plainlyConverted(stream, codec)
    : delivered(stream, endpointConversion(codec, codec.convertAll));
}

function plainlyConverted(stream: WatchStream, codec: PlainCodec): WatchStream {
  const convert = (event: WatchEvent): WatchEvent =>
    event.object === undefined ? event : eventWithObject(event, new ConvertedObject(event.object, codec));
  return { next: async () => (await stream.next())?.map(convert), stop: () => stream.stop() };
}

/** A failed conversion ends the watch. */
function delivered(stream: WatchStream, conversion: Conversion): WatchStream {
  let failed = false;
  return {
    next: async () => {
      if (failed) return undefined;
      const events = await stream.next();
      if (events === undefined) return undefined;
      try {
        return await deliverEvents(events, (objects) => deliver(objects, conversion));
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

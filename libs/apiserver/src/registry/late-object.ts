import { finish, parsingJson, type KubeObject, type Omits, type Work } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';
import { convertChunk, OtherVersion, type Conversion } from './conversion.ts';

/** A stored object that is converted to another version when it is read. It shares the shapes of the original. */
export class LateObject extends OtherVersion implements StoredObject {
  readonly apiVersion: string;
  /** The size of the original in bytes. */
  readonly size: number;
  readonly #original: StoredObject;
  readonly #chunk: LateChunk;

  constructor(original: StoredObject, chunk: LateChunk) {
    super(original);
    this.apiVersion = chunk.apiVersion;
    this.size = sizeOf(original);
    this.#original = original;
    this.#chunk = chunk;
  }
  get json(): Buffer {
    return finish(this.encoding());
  }
  encoding(): Work<Buffer> {
    return this.#chunk.reading(this.#original);
  }
  parse(): KubeObject {
    return finish(this.parsing());
  }
  *parsing(omits?: Omits): Work<KubeObject> {
    return (yield* parsingJson(yield* this.encoding(), omits)) as KubeObject;
  }
}

/** What a list has converted last; it holds no more. */
interface Latest {
  made?: ReadonlyMap<StoredObject, Buffer>;
}

/** Objects of a list that are converted with one call, when the first of them is read. */
class LateChunk {
  readonly #items: readonly StoredObject[];
  readonly #conversion: Conversion;
  readonly #latest: Latest;

  constructor(items: readonly StoredObject[], conversion: Conversion, latest: Latest) {
    this.#items = items;
    this.#conversion = conversion;
    this.#latest = latest;
  }

  get apiVersion(): string {
    return this.#conversion.apiVersion;
  }

  /** The converted bytes of one of the items. Throws the error of the conversion. */
  *reading(item: StoredObject): Work<Buffer> {
    const known = this.#known(item);
    if (known !== undefined) return known;
    // A user converts one large chunk at a time. While this list waits at this step, another of his lists may convert the same one.
    yield;
    let made = this.#known(item);
    if (made !== undefined) return made;
    yield convertChunk(this.#items, this.#conversion).then((converted) => {
      this.#latest.made = converted;
      made = converted.get(item);
    });
    return made ?? item.json;
  }

  #known(item: StoredObject): Buffer | undefined {
    return item.shapes.get(this.#conversion.shape) ?? this.#latest.made?.get(item);
  }
}

/** The objects of a list, which are converted when they are read. The list has one reader, which reads each of them once, in order. */
export function lateObjects(items: readonly StoredObject[], conversion: Conversion): LateObject[] {
  const latest: Latest = {};
  return [...chunksOf(items)].flatMap((chunk) => {
    const late = new LateChunk(chunk, conversion, latest);
    return chunk.map((item) => new LateObject(item, late));
  });
}

/** The size of an object in bytes, before its conversion where that comes late. */
const sizeOf = (item: StoredObject): number => (item instanceof LateObject ? item.size : item.json.length);

export const bytesOf = (items: readonly StoredObject[]): number =>
  items.reduce((bytes, item) => bytes + sizeOf(item), 0);

/** Objects of more bytes are converted with several calls, so that they are not all decoded at the same time. */
const bytesPerCall = 1024 * 1024;

/** The objects in the parts that are converted with one call each. */
export function* chunksOf(items: readonly StoredObject[]): Iterable<readonly StoredObject[]> {
  let chunk: StoredObject[] = [];
  let bytes = 0;
  for (const item of items) {
    if (chunk.length > 0 && bytes + sizeOf(item) > bytesPerCall) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += sizeOf(item);
  }
  if (chunk.length > 0) yield chunk;
}

import { parseJson, inTurns, parsingJson, type KubeObject, type Work, type Omits } from '@apichain/meta';
import { Shapes } from './shapes.ts';
import type { ObjectAttributes, StorageCodec, StoredObject } from './storage.ts';

/** A StoredObject that decodes its bytes on first use, and only once. */
export class EncodedObject implements StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly json: Buffer;
  readonly #codec: StorageCodec;
  #knownAttributes: ObjectAttributes | undefined;
  #knownShapes: Shapes | undefined;

  /** `attributes`, if already known, must equal what the codec would decode from the bytes. */
  constructor(codec: StorageCodec, key: string, revision: number, json: Buffer, attributes?: ObjectAttributes) {
    this.#codec = codec;
    this.#knownAttributes = attributes;
    this.key = key;
    this.revision = revision;
    this.json = json;
  }

  get attributes(): ObjectAttributes {
    this.#knownAttributes ??= this.#codec.attributes(this.json);
    return this.#knownAttributes;
  }

  /** Reads the attributes in steps, where they are not known. */
  *readingAttributes(): Work<void> {
    this.#knownAttributes ??= yield* this.#codec.readingAttributes(this.json);
  }

  get knowsAttributes(): boolean {
    return this.#knownAttributes !== undefined;
  }

  get shapes(): Map<string, Buffer> {
    this.#knownShapes ??= new Shapes();
    return this.#knownShapes;
  }

  parse(): KubeObject {
    return parseJson(this.json) as KubeObject;
  }

  /** Frees the cached representations of the bytes. Called when the object is no longer a current state. */
  forgetShapes(): void {
    this.#knownShapes?.clear();
  }

  /** The same object with another revision, as in a DELETED event. */
  at(revision: number): EncodedObject {
    const json = this.#codec.decode(this.json, revision);
    return new EncodedObject(this.#codec, this.key, revision, json, this.#knownAttributes);
  }
}

/** Reads the attributes of all objects where they are not known, in steps. */
export function* readingAttributes(objects: readonly EncodedObject[]): Work<void> {
  for (const object of objects) {
    if (object.knowsAttributes) continue;
    yield* object.readingAttributes();
    yield;
  }
}

/** Parses a stored object in steps. The large members that `omits` selects may be OmittedMembers in the copy. */
export function* readingStored(stored: StoredObject, omits?: Omits): Work<KubeObject> {
  if (stored.parsing !== undefined) return yield* stored.parsing(omits);
  return (yield* parsingJson(stored.json, omits)) as KubeObject;
}

/** Parses a stored object: `parse` in steps. Returns a promise only if the object is large. */
export const readStored = <T extends KubeObject>(stored: StoredObject & { parse(): T }): T | Promise<T> =>
  inTurns(readingStored(stored)) as T | Promise<T>;

/** Only metadata is read; other large members are skipped. */
const isBesideMetadata: Omits = ([first]) => first !== 'metadata';

/** The uid of a stored object. Returns a promise only if the object is large. */
export function readUid(stored: StoredObject): string | Promise<string> {
  const object = inTurns(readingStored(stored, isBesideMetadata));
  const uidOf = ({ metadata }: KubeObject) => metadata.uid ?? '';
  return object instanceof Promise ? object.then(uidOf) : uidOf(object);
}

/** The JSON of a stored object, in steps where it is made on demand. */
export function* storedJson(stored: StoredObject): Work<Buffer> {
  return stored.encoding === undefined ? stored.json : yield* stored.encoding();
}

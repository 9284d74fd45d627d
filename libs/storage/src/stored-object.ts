import { parseJson, type KubeObject } from '@apichain/meta';
import { Shapes } from './shapes.ts';
import type { ObjectAttributes, StorageCodec, StoredObject } from './storage.ts';

/** A StoredObject that looks into its bytes only when asked, and then once. */
export class EncodedObject implements StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly json: Buffer;
  readonly #codec: StorageCodec;
  #knownAttributes: ObjectAttributes | undefined;
  #knownShapes: Shapes | undefined;

  /** `attributes`, where they are known already, are what the codec would find in the bytes. */
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

  get shapes(): Map<string, Buffer> {
    this.#knownShapes ??= new Shapes();
    return this.#knownShapes;
  }

  parse(): KubeObject {
    return parseJson(this.json) as KubeObject;
  }

  /** Frees what was made of the bytes: the object is no longer anyone's current state. */
  forgetShapes(): void {
    this.#knownShapes?.clear();
  }

  /** The same object as of another revision: what a DELETED event shows. */
  at(revision: number): EncodedObject {
    const json = this.#codec.decode(this.json, revision);
    return new EncodedObject(this.#codec, this.key, revision, json, this.#knownAttributes);
  }
}

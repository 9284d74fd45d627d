import { parseJson, type KubeObject } from '@apichain/meta';
import { Shapes } from './shapes.ts';
import type { ObjectAttributes, StorageCodec, StoredObject } from './storage.ts';

/** A StoredObject that looks into its bytes only when asked, and then once. */
export class EncodedObject implements StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly json: Buffer;
  private readonly codec: StorageCodec;
  private knownAttributes: ObjectAttributes | undefined;
  private knownShapes: Shapes | undefined;

  constructor(codec: StorageCodec, key: string, revision: number, json: Buffer) {
    this.codec = codec;
    this.key = key;
    this.revision = revision;
    this.json = json;
  }

  get attributes(): ObjectAttributes {
    this.knownAttributes ??= this.codec.attributes(this.json);
    return this.knownAttributes;
  }

  get shapes(): Map<string, Buffer> {
    this.knownShapes ??= new Shapes();
    return this.knownShapes;
  }

  parse(): KubeObject {
    return parseJson(this.json) as KubeObject;
  }

  /** Frees what was made of the bytes: the object is no longer anyone's current state. */
  forgetShapes(): void {
    this.knownShapes?.clear();
  }

  /** The same object as of another revision: what a DELETED event shows. */
  at(revision: number): EncodedObject {
    return new EncodedObject(this.codec, this.key, revision, this.codec.decode(this.json, revision));
  }
}

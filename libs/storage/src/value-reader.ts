import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { goQuote } from '@apichain/go-text';
import { parseJson, type KubeObject } from '@apichain/meta';
import { metadataAttributes } from './codec.ts';
import type { StorageCodec } from './storage.ts';
import { EncodedObject } from './stored-object.ts';
import { TransformError, type ValueTransformer } from './transformer.ts';

/** A value of etcd as an object. `stale` = the value should be written again even if nothing changed, e.g. with a newer key. */
export interface ReadValue {
  readonly object: EncodedObject;
  readonly stale: boolean;
}

/** Reads values of etcd as objects: decrypts them, decodes them and sets their resourceVersion. */
export class ValueReader {
  readonly #codec: StorageCodec;
  readonly #transformer: ValueTransformer;
  readonly #prefix: string;
  readonly #view: StoredView | undefined;

  /** `prefix` is the prefix of all keys in etcd, e.g. `/registry`. With a `view` every value is read: an unreadable one becomes its stand-in. */
  constructor(codec: StorageCodec, transformer: ValueTransformer, prefix: string, view?: StoredView) {
    this.#view = view;
    this.#codec = codec;
    this.#transformer = transformer;
    this.#prefix = prefix;
  }

  /** The store key of an etcd key. */
  storeKey(etcdKey: Uint8Array): string {
    return Buffer.from(etcdKey.buffer, etcdKey.byteOffset, etcdKey.byteLength)
      .toString('utf8')
      .slice(this.#prefix.length);
  }

  /** The object of a decrypted value that was written at `revision`. */
  decode(key: string, plain: Buffer, revision: number): EncodedObject {
    const json = this.#codec.decode(plain, revision);
    const shown = this.#view?.show?.(json);
    return new EncodedObject(
      this.#codec,
      key,
      revision,
      shown === undefined ? json : this.#codec.decode(shown, revision),
    );
  }

  /** Throws TransformError when the value cannot be decrypted. */
  async read(kv: KeyValue): Promise<ReadValue> {
    const view = this.#view;
    if (view === undefined) return this.#read(kv);
    try {
      return await this.#read(kv);
    } catch (error) {
      return { object: this.#standIn(view, kv, error), stale: false };
    }
  }

  async #read({ key, value, modRevision }: KeyValue): Promise<ReadValue> {
    const { plain, stale } = await this.#transformer.fromStorage(value, key);
    return {
      object: this.decode(this.storeKey(key), plain, modRevision),
      stale: stale || !this.#codec.isCurrent(plain),
    };
  }

  /** Like `read`, for an item of a list: the error names the key. */
  async readListed(kv: KeyValue): Promise<EncodedObject> {
    try {
      return (await this.read(kv)).object;
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      const key = goQuote(kv.key.toString('utf8'));
      throw new TransformError(`unable to transform key ${key}: ${error.message}`, { cause: error });
    }
  }

  /** The object of a watch event; a promise only where the transformer is asynchronous. */
  readEvent(kv: KeyValue): EncodedObject | Promise<EncodedObject> {
    if (this.#view !== undefined) return this.read(kv).then(({ object }) => object);
    const { key, value, modRevision } = kv;
    const read = this.#transformer.fromStorage(value, key);
    if (read instanceof Promise) return read.then(({ plain }) => this.decode(this.storeKey(key), plain, modRevision));
    return this.decode(this.storeKey(key), read.plain, modRevision);
  }

  #standIn(view: StoredView, { key, value, modRevision }: KeyValue, error: unknown): UnreadableObject {
    const storeKey = this.storeKey(key);
    return new UnreadableObject(this.#codec, storeKey, modRevision, view.standIn(storeKey, value, error));
  }
}

/** How a server that only reads shows stored values. */
export interface StoredView {
  /** The JSON that clients get instead of the JSON of an object, e.g. without secrets. */
  readonly show?: (json: Buffer) => Buffer;
  /** What stands in lists for a value that cannot be decrypted or decoded. `key` is below the prefix of all keys. */
  readonly standIn: (key: string, value: Buffer, error: unknown) => StandIn;
}

/** An object in place of an unreadable value. It has the name that its key says, and nothing of the value. */
export interface StandIn {
  readonly json: Buffer;
  /** Why the value cannot be read, in a few words. */
  readonly reason: string;
}

/** Stands for a value that cannot be read. */
class UnreadableObject extends EncodedObject {
  readonly unreadable: string;

  constructor(codec: StorageCodec, key: string, revision: number, { json, reason }: StandIn) {
    // Selectable fields of the kind cannot be told: the object has none of them.
    const attributes = metadataAttributes(parseJson(json) as KubeObject);
    super(codec, key, revision, codec.decode(json, revision), attributes);
    this.unreadable = reason;
  }
}

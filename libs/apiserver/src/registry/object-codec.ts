import type { DocumentFacts, GroupVersionKind, JsonObject, JsonValue, KubeObject, Work } from '@apichain/meta';

/**
 * What is particular to reading and converting the objects of one kind in one served version. A built-in kind makes it from
 * the type table (decode + defaults), a custom kind from its CRD schema (prune + default); everything else is shared.
 */
export interface ObjectCodec {
  /** The kind in the version that the endpoint serves. */
  readonly kind: GroupVersionKind;
  /** Other versions of the kind that bodies may be in, read as if they were in this one (evictions). */
  readonly acceptedVersions?: readonly string[];
  /** The kind in the version that the store holds (the hub). Equal to `kind` for most. */
  readonly storageKind: GroupVersionKind;
  /** Custom resources: lists keep kind and apiVersion on their items, there is no strategic merge patch and no protobuf. */
  readonly custom: boolean;
  /**
   * What every body that cannot be read as the kind is answered with, whatever is wrong with it: the endpoint knows the kind
   * and its error texts do not (the Scale of a custom resource). Bodies are then read as those of a built-in kind.
   */
  readonly decodeFailure?: string;
  /** What errors of patches call the scheme that knows the kind, when it is not that of the server. */
  readonly schemeName?: string;
  /**
   * Reads a client's value as an object of `kind`: typed, normalised, pruned, defaulted; a fresh object. apiVersion and kind of
   * the value have been checked already and are set on the result.
   * Throws an Error whose message is what Go's decoder says (`json: cannot unmarshal ...`); the caller wraps it.
   */
  decode(value: JsonValue, options?: ObjectDecodeOptions): DecodedObject;
  /** `decode` in steps, where it can be cut. */
  decoding?(value: JsonValue, options?: ObjectDecodeOptions): Work<DecodedObject>;
  /** Of a custom kind: the fields of a value that its schema in another version, or the lack of one, does not know; without a version of metadata only. */
  unknownFieldsIn?(value: JsonObject, version: string | undefined): string[];
  /** The object, in the storage version, as it would come back from the store. */
  canonicalize?(object: KubeObject): KubeObject;
  /** The text of that, in the layout of the store's codec, in steps. Equal objects give equal texts. */
  readonly encoding?: (object: KubeObject) => Work<string>;
  /** Annotations of `kind` that stand for fields of the internal form: metadata that is shown alone is without them. */
  readonly carriedAnnotations?: readonly string[];
  /** Adds to an object with nothing in it, in `kind`, what Go's internal zero value has beside the zero values of the type's fields. */
  readonly showZeroes?: (blank: KubeObject) => void;
  /** From `kind` to `storageKind`; may change and return its argument. The identity where both are the same. */
  toStorage(object: KubeObject): KubeObject;
  /** From `storageKind` to `kind`; may change and return its argument. */
  fromStorage(object: KubeObject): KubeObject;
  /**
   * Between any two served versions of the kind, for managed fields and patches; may change and return its argument.
   * This and the two before throw PendingConversion where `convertAll` is set and the result is not there yet.
   */
  convert(object: KubeObject, apiVersion: string): KubeObject;
  /**
   * From `storageKind` to `kind`, many at once; set where somebody else is asked for it (a conversion webhook).
   * Rejects with the client's error.
   */
  readonly convertAll?: (objects: readonly KubeObject[]) => Promise<KubeObject[]>;
}

export interface ObjectDecodeOptions {
  /** What the text of the document says beside its values, as parseJsonStrict reports it. */
  readonly facts?: DocumentFacts | undefined;
  /** The value is what server-side apply has merged: the schema has seen its fields, only defaults are missing. */
  readonly applied?: boolean;
  /** A strategic merge patch or an apply has merged the value: see DecodeOptions of the scheme. */
  readonly unstructured?: boolean;
}

/** An object read from a request body, and what field validation has against it. */
export interface DecodedObject {
  readonly object: KubeObject;
  /** Paths of the fields that the kind does not have, in the order of the document, e.g. `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

/** Decodes in steps where the codec can. */
export function* decodingBy(
  codec: Pick<ObjectCodec, 'decode' | 'decoding'>,
  value: JsonValue,
  options?: ObjectDecodeOptions,
): Work<DecodedObject> {
  return codec.decoding === undefined ? codec.decode(value, options) : yield* codec.decoding(value, options);
}

/** Whether objects of the endpoint's version need converting on their way to and from the store. */
export function needsConversion(codec: ObjectCodec): boolean {
  return codec.kind.version !== codec.storageKind.version || codec.kind.group !== codec.storageKind.group;
}

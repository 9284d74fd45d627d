import type { DocumentFacts, GroupVersionKind, JsonObject, JsonValue, KubeObject } from '@apichain/meta';

/**
 * Decodes and converts the objects of one kind in one served version. A built-in kind builds its codec from
 * the type table (decode + defaults), a custom kind from its CRD schema (prune + default). All other code is shared by both.
 */
export type ObjectCodec = PlainCodec | WebhookCodec;

/** Converts at once, in this process. */
export interface PlainCodec extends CodecOfKind, Conversions<KubeObject> {
  readonly convertAll?: undefined;
}

/** Converts with calls of a webhook, or of functions of a program that may take as long. Conversions reject with the error for the client. */
export interface WebhookCodec extends CodecOfKind, Conversions<Promise<KubeObject>> {
  /** Converts several objects from `storageKind` to `kind` with one call. */
  readonly convertAll: (objects: readonly KubeObject[]) => Promise<KubeObject[]>;
}

interface Conversions<Converted> {
  /** Converts from `kind` to `storageKind`; may change and return its argument. Returns it unchanged if both are equal. */
  toStorage(object: KubeObject): Converted;
  /** Converts from `storageKind` to `kind`; may change and return its argument. */
  fromStorage(object: KubeObject): Converted;
  /** Converts between any two served versions of the kind, for managed fields and patches; may change and return its argument. */
  convert(object: KubeObject, apiVersion: string): Converted;
}

interface CodecOfKind {
  /** The kind in the version that the endpoint serves. */
  readonly kind: GroupVersionKind;
  /** Other versions of the kind that bodies may have. They are decoded as if they were in this version (evictions). */
  readonly acceptedVersions?: readonly string[];
  /** The storage version of the kind (the hub). Equal to `kind` for most kinds. */
  readonly storageKind: GroupVersionKind;
  /** Whether this is a custom resource: list items keep kind and apiVersion, and there is no strategic merge patch and no protobuf. */
  readonly custom: boolean;
  /**
   * The error message for every body that cannot be decoded, whatever the reason. Set for the Scale of a custom resource, where
   * the endpoint has a type but kube-apiserver's error messages do not show it. Bodies are then decoded as those of a built-in kind.
   */
  readonly decodeFailure?: string;
  /** The name of the scheme in errors of patches, if it is not the server's scheme. */
  readonly schemeName?: string;
  /**
   * Decodes a client's value as an object of `kind`: typed, normalised, pruned, defaulted; a new object. apiVersion and kind of
   * the value have been checked by the caller and are set on the result.
   * Throws an Error with the message of Go's decoder (`json: cannot unmarshal ...`); the caller wraps it.
   */
  decode(value: JsonValue, options?: ObjectDecodeOptions): DecodedObject;
  /** Custom kinds only: the fields that are unknown in another version (all, if it has no schema). Without a version only metadata is checked. */
  unknownFieldsIn?(value: JsonObject, version: string | undefined): string[];
  /** The object, in the storage version, as it would be read back from the store. */
  canonicalize?(object: KubeObject): KubeObject;
  /** Encodes that object in the layout of the storage codec. Equal objects give equal texts. */
  readonly encode?: (object: KubeObject) => string;
  /** Annotations of `kind` that represent fields of the internal form. They are omitted where only metadata is returned. */
  readonly carriedAnnotations?: readonly string[];
  /** Adds to an empty object of `kind` the values of Go's internal zero value that are not zero values of the type's fields. */
  readonly showZeroes?: (blank: KubeObject) => void;
}

/** What is known of a value that is decoded, besides the value. */
export interface ObjectDecodeOptions {
  /** Facts about the text of the document that its values do not show, as parseJsonStrict reports them. */
  readonly facts?: DocumentFacts | undefined;
  /** The value is the result of server-side apply: it has been pruned by the schema, and only defaults are missing. */
  readonly applied?: boolean;
  /** The value is the result of a strategic merge patch or an apply: see DecodeOptions of the scheme. */
  readonly unstructured?: boolean;
}

/** An object decoded from a request body, with the problems for field validation. */
export interface DecodedObject {
  readonly object: KubeObject;
  /** Paths of the fields that the kind does not have, in the order of the document, e.g. `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

/** Whether objects of the endpoint's version are converted when they are stored and read. */
export function needsConversion(codec: ObjectCodec): boolean {
  return codec.kind.version !== codec.storageKind.version || codec.kind.group !== codec.storageKind.group;
}

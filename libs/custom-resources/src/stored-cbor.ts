import { isRecord, type KubeObject } from '@apichain/meta';
import { CborError, decodeCbor, encodeCbor, looksLikeCbor } from '@apichain/scheme';
import type { StoredForm } from '@apichain/storage';

/**
 * The form in which kube-apiserver stores custom resources with the feature gate CBORServingAndStorage. Its bytes are deterministic, and begin with
 * the tag of self-described CBOR, which no JSON begins with.
 * Source: customresource_handler.go of k8s.io/apiextensions-apiserver.
 */
export const storedCbor: StoredForm = {
  encode: encodeCbor,
  has: looksLikeCbor,
};

/** The object of a value that was stored as CBOR; undefined for any other value. Throws CborError when the value is damaged. */
export function readStoredCbor(value: Buffer): KubeObject | undefined {
  if (!looksLikeCbor(value)) return undefined;
  const object: unknown = decodeCbor(value);
  if (!isRecord(object)) throw new CborError('cbor: the stored value is not a map');
  return object as KubeObject;
}

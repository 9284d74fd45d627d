import { validateObjectMeta, validatePathSegmentName } from '@apichain/meta';
import { decodeObject, type Type } from '@apichain/scheme';
import type { ObjectMetaRules } from './object-meta.ts';
import { sortKeys } from './sort-keys.ts';

/** The rules of ObjectMeta. `objectMeta` is the built-in Type `meta.v1.ObjectMeta`. */
export const objectMetaRules = (objectMeta: Type): ObjectMetaRules => ({
  decode(metadata) {
    const { object, unknownFields } = decodeAsMap(metadata, objectMeta);
    if (object.creationTimestamp === null) delete object.creationTimestamp;
    return { metadata: object, unknownFields };
  },
  validate: (metadata, path, namespaced) => validateObjectMeta(metadata, namespaced, validatePathSegmentName, path),
});

/** Go decodes a map, whose members are sorted by name. The first error in that order is reported. */
function decodeAsMap(metadata: unknown, objectMeta: Type): ReturnType<typeof decodeObject> {
  try {
    return decodeObject(metadata, objectMeta);
  } catch {
    return decodeObject(sortKeys(metadata), objectMeta);
  }
}

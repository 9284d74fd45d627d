import { builtinTypes } from '@apichain/kinds/model';
import { validateObjectMeta, validatePathSegmentName } from '@apichain/meta';
import { sortKeys, type ObjectMetaRules } from '@apichain/schema';
import { decodeObject } from '@apichain/scheme';

/** ObjectMeta of the built-in type table. */
export const objectMetaType = builtinTypes.type('meta.v1.ObjectMeta');

/** The rules of ObjectMeta, from the built-in type table. */
export const metadataRules: ObjectMetaRules = {
  decode(metadata) {
    const { object, unknownFields } = decodeAsMap(metadata);
    if (object.creationTimestamp === null) delete object.creationTimestamp;
    return { metadata: object, unknownFields };
  },
  validate: (metadata, path, namespaced) => validateObjectMeta(metadata, namespaced, validatePathSegmentName, path),
};

/** Go decodes a map, whose members are sorted by name. The first error in that order is reported. */
function decodeAsMap(metadata: unknown): ReturnType<typeof decodeObject> {
  try {
    return decodeObject(metadata, objectMetaType);
  } catch {
    return decodeObject(sortKeys(metadata), objectMetaType);
  }
}

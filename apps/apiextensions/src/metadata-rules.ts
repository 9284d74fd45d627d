import { builtinTypes } from '@apichain/kinds/model';
import { validateObjectMeta, validatePathSegmentName } from '@apichain/meta';
import type { ObjectMetaRules } from '@apichain/schema';
import { decodeObject } from '@apichain/scheme';

export const objectMetaType = builtinTypes.type('meta.v1.ObjectMeta');

/** ObjectMeta by the built-in type table. */
export const metadataRules: ObjectMetaRules = {
  decode(metadata) {
    const { object, unknownFields } = decodeObject(metadata, objectMetaType);
    if (object.creationTimestamp === null) delete object.creationTimestamp;
    return { metadata: object, unknownFields };
  },
  validate: (metadata, path, namespaced) => validateObjectMeta(metadata, namespaced, validatePathSegmentName, path),
};

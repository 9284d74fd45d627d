import { validateObjectMeta, validatePathSegmentName } from '@apichain/meta';
import { decodeObject, type Field, type Type } from '@apichain/scheme';
import type { ObjectMetaRules } from './object-meta.ts';

const fields: Field[] = [
  { name: 'name', type: { kind: 'string' }, omitempty: true },
  { name: 'namespace', type: { kind: 'string' }, omitempty: true },
  { name: 'labels', type: { kind: 'map', values: { kind: 'string' } }, omitempty: true },
  { name: 'creationTimestamp', type: { kind: 'time' }, omitempty: true, pointer: true },
];

/** A few fields of ObjectMeta, for tests. The complete type is in a higher layer. */
export const objectMetaType: Type = {
  kind: 'object',
  name: 'meta.v1.ObjectMeta',
  fields,
  byName: new Map(fields.map((f) => [f.name, f])),
};

export const metadataRules: ObjectMetaRules = {
  decode(metadata) {
    const { object, unknownFields } = decodeObject(metadata, objectMetaType);
    return { metadata: object, unknownFields };
  },
  validate: (metadata, path, namespaced) => validateObjectMeta(metadata, namespaced, validatePathSegmentName, path),
};

import {
  validateObjectMeta,
  validateObjectMetaUpdate,
  validatePathSegmentName,
  type FieldError,
  type ObjectMeta,
} from '@apichain/meta';

/** The generic rules of metadata, with the name rule that all kinds share. */
export const validateMetadata = (metadata: ObjectMeta, namespaced: boolean): FieldError[] =>
  validateObjectMeta(metadata, namespaced, validatePathSegmentName, 'metadata');

/** What an update may not change of it. */
export const validateMetadataUpdate = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] =>
  validateObjectMetaUpdate(metadata, old, 'metadata');

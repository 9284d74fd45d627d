import {
  validateObjectMeta,
  validateObjectMetaUpdate,
  validatePathSegmentName,
  type FieldError,
  type ObjectMeta,
} from '@apichain/meta';

/** The generic metadata validation, with the default name rule. */
export const validateMetadata = (metadata: ObjectMeta, namespaced: boolean): FieldError[] =>
  validateObjectMeta(metadata, namespaced, validatePathSegmentName, 'metadata');

/** Checks the metadata fields that an update must not change. */
export const validateMetadataUpdate = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] =>
  validateObjectMetaUpdate(metadata, old, 'metadata');

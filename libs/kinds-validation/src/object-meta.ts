import {
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateStandardFinalizers,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import type { ValidationContext } from './kind-validation.ts';

/*
 * The checks of metadata, as steps of a kind. kube-apiserver has each of them twice: the generic ones let finalizers without a domain
 * through, the others do not. A kind takes those that its validation in kube-apiserver calls. What all kinds share, whatever their rows
 * say, is checked by the store.
 */

const finalizerErrors = ({ metadata }: KubeObject): FieldError[] =>
  validateStandardFinalizers(metadata.finalizers, 'metadata.finalizers');

/** Metadata as it may be created. Source: ValidateObjectMeta of k8s.io/apimachinery/pkg/api/validation. */
export const genericObjectMeta = (
  object: KubeObject,
  _old: KubeObject | undefined,
  { namespaced, nameRule }: ValidationContext,
): FieldError[] => validateObjectMeta(object.metadata, namespaced, nameRule(object), 'metadata');

/** What of metadata an update may change. Source: ValidateObjectMetaUpdate of k8s.io/apimachinery/pkg/api/validation. */
export const genericObjectMetaUpdate = (object: KubeObject, old: KubeObject): FieldError[] =>
  validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata');

/** The same as `genericObjectMeta`, and its finalizers. Source: ValidateObjectMeta of pkg/apis/core/validation. */
export const objectMeta = (
  object: KubeObject,
  old: KubeObject | undefined,
  context: ValidationContext,
): FieldError[] => [...genericObjectMeta(object, old, context), ...finalizerErrors(object)];

/** The same as `genericObjectMetaUpdate`, and its finalizers. Source: ValidateObjectMetaUpdate of pkg/apis/core/validation. */
export const objectMetaUpdate = (object: KubeObject, old: KubeObject): FieldError[] => [
  ...genericObjectMetaUpdate(object, old),
  ...finalizerErrors(object),
];

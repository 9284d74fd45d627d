import {
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateStandardFinalizers,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import type { ValidationContext } from './kind-validation.ts';

/*
 * The checks of metadata, as steps of a kind. kube-apiserver has each of them twice: the generic ones accept finalizers without a domain, the others
 * do not. A kind uses those that its validation in kube-apiserver calls. The store checks what applies to all kinds, regardless of their rows.
 */

const finalizerErrors = ({ metadata }: KubeObject): FieldError[] =>
  validateStandardFinalizers(metadata.finalizers, 'metadata.finalizers');

/** Checks the metadata of a new object. Source: ValidateObjectMeta of k8s.io/apimachinery/pkg/api/validation. */
export const genericObjectMeta = (
  object: KubeObject,
  _old: KubeObject | undefined,
  { namespaced, nameRule }: ValidationContext,
): FieldError[] => validateObjectMeta(object.metadata, namespaced, nameRule(object), 'metadata');

/** Checks changes of metadata. Source: ValidateObjectMetaUpdate of k8s.io/apimachinery/pkg/api/validation. */
export const genericObjectMetaUpdate = (object: KubeObject, old: KubeObject): FieldError[] =>
  validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata');

/** Like `genericObjectMeta`, and checks finalizers. Source: ValidateObjectMeta of pkg/apis/core/validation. */
export const objectMeta = (
  object: KubeObject,
  old: KubeObject | undefined,
  context: ValidationContext,
): FieldError[] => [...genericObjectMeta(object, old, context), ...finalizerErrors(object)];

/** Like `genericObjectMetaUpdate`, and checks finalizers. Source: ValidateObjectMetaUpdate of pkg/apis/core/validation. */
export const objectMetaUpdate = (object: KubeObject, old: KubeObject): FieldError[] => [
  ...genericObjectMetaUpdate(object, old),
  ...finalizerErrors(object),
];

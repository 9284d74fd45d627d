import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, text, texts } from '@apichain/kinds';
import { finalizerErrors } from './finalizers.ts';

/** Finalizers of the namespace's content; errors name the list, not the entry. */
export const validateNamespace = (namespace: KubeObject): FieldError[] =>
  field.collectEach(texts(at(namespace.spec, 'finalizers')), (name) => finalizerErrors('spec.finalizers', name));

/** The same through `finalize`, entry by entry. */
export const validateNamespaceFinalize = (namespace: KubeObject): FieldError[] =>
  field.collectEach(texts(at(namespace.spec, 'finalizers')), (name, i) =>
    finalizerErrors(`spec.finalizers[${i}]`, name),
  );

/** The phase says whether the namespace is being deleted. */
export function validateNamespaceStatus(namespace: KubeObject): FieldError[] {
  const phase = text(at(namespace.status, 'phase'));
  const deleting = isSet(namespace.metadata.deletionTimestamp);
  if (phase === (deleting ? 'Terminating' : 'Active')) return [];
  const detail = deleting
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [field.invalid('status.Phase', phase, detail)];
}

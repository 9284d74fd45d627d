import type { Namespace } from '@apichain/api/core/v1';
import { field, type FieldError, isQualifiedName } from '@apichain/meta';
import { isSet } from '@apichain/kinds';

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** A finalizer must be a qualified name with a domain, or one of the standard finalizers of Kubernetes. */
function finalizerErrors(path: string, name: string): FieldError[] {
  const errors = isQualifiedName(name).map((message) => field.invalid(path, name, message));
  if (!name.includes('/') && !standardFinalizers.has(name)) {
    errors.push(field.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
  return errors;
}

/** Checks the finalizers in the spec; errors have the path of the list, not of the entry. */
export const validateNamespace = (namespace: Namespace): FieldError[] =>
  field.collectEach(namespace.spec?.finalizers ?? [], (name) => finalizerErrors('spec.finalizers', name));

/** The same for `finalize`; errors have the path of the entry. */
export const validateNamespaceFinalize = (namespace: Namespace): FieldError[] =>
  field.collectEach(namespace.spec?.finalizers ?? [], (name, i) => finalizerErrors(`spec.finalizers[${i}]`, name));

/** The phase must match the deletionTimestamp. */
export function validateNamespaceStatus(namespace: Namespace): FieldError[] {
  const phase = namespace.status?.phase ?? '';
  const deleting = isSet(namespace.metadata.deletionTimestamp);
  if (phase === (deleting ? 'Terminating' : 'Active')) return [];
  const detail = deleting
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [field.invalid('status.Phase', phase, detail)];
}

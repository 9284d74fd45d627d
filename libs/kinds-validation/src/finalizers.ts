import { field, isQualifiedName, type FieldError } from '@apichain/meta';

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** A finalizer must be a qualified name with a domain, or one of the standard finalizers of Kubernetes. */
export function finalizerErrors(path: string, name: string): FieldError[] {
  const errors = isQualifiedName(name).map((message) => field.invalid(path, name, message));
  if (!name.includes('/') && !standardFinalizers.has(name)) {
    errors.push(field.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
  return errors;
}

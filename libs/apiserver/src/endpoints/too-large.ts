import type { KubeObject } from '@apichain/meta';
import { isTooLarge } from '../registry/store-errors.ts';

/**
 * Retries the write of an object that is too large for the store without its managedFields, which may be most of its size.
 * Source: isTooLargeError of endpoints/handlers.
 */
export async function retriedWithoutManagedFields<T>(
  object: KubeObject,
  write: (candidate: KubeObject) => Promise<T>,
): Promise<T> {
  try {
    return await write(object);
  } catch (error) {
    if (!isTooLarge(error) || object.metadata.managedFields === undefined) throw error;
    delete object.metadata.managedFields;
    return write(object);
  }
}

/**
 * Updates an object, and tries again without its managedFields when it is too large for the store. Source: UpdateResource and patchResource of
 * endpoints/handlers.
 */
export async function updatedWithinSize<T>(update: (withManagedFields: boolean) => Promise<T>): Promise<T> {
  try {
    return await update(true);
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return update(false);
  }
}

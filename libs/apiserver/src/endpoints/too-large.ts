import type { KubeObject } from '@apichain/meta';
import { isTooLarge } from '../registry/store-errors.ts';

/**
 * An object that does not fit into the store is tried once more without its managedFields, which may be the larger part.
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

import { readUid } from './stored-object.ts';
import { PreconditionError, type Preconditions, type StoredObject } from './storage.ts';

/** Throws PreconditionError, with the message of kube-apiserver's storage.Preconditions.Check. A missing object has no uid and no version. */
export async function checkPreconditions(
  preconditions: Preconditions | undefined,
  object: StoredObject | undefined,
): Promise<void> {
  if (preconditions === undefined) return;
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined) {
    const actual = object === undefined ? '' : await readUid(object);
    if (actual !== uid) {
      throw new PreconditionError(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`);
    }
  }
  const actual = object === undefined ? '' : String(object.revision);
  if (resourceVersion !== undefined && resourceVersion !== actual) {
    throw new PreconditionError(
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${actual}`,
    );
  }
}

import { inTurns, parsingJson, type KubeObject, type Omits, type Work } from '@apichain/meta';
import type { StoredObject } from './storage.ts';

/** Parses a stored object in steps. The large members that `omits` selects may be OmittedMembers in the copy. */
export function* readingStored(stored: StoredObject, omits?: Omits): Work<KubeObject> {
  if (stored.parsing !== undefined) return yield* stored.parsing(omits);
  return (yield* parsingJson(stored.json, omits)) as KubeObject;
}

/** Parses a stored object: `parse` in steps. Returns a promise only if the object is large. */
export const readStored = <T extends KubeObject>(stored: StoredObject & { parse(): T }): T | Promise<T> =>
  inTurns(readingStored(stored)) as T | Promise<T>;

/** Only metadata is read; other large members are skipped. */
const isBesideMetadata: Omits = ([first]) => first !== 'metadata';

/** The uid of a stored object. Returns a promise only if the object is large. */
export function readUid(stored: StoredObject): string | Promise<string> {
  const object = inTurns(readingStored(stored, isBesideMetadata));
  const uidOf = ({ metadata }: KubeObject) => metadata.uid ?? '';
  return object instanceof Promise ? object.then(uidOf) : uidOf(object);
}

/** The JSON of a stored object, in steps where it is made on demand. */
export function* storedJson(stored: StoredObject): Work<Buffer> {
  return stored.encoding === undefined ? stored.json : yield* stored.encoding();
}

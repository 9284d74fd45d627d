/** The objects that lists have in common. */
export interface ListedCache {
  /** The bytes of all objects that have been replaced in the cache: those that only lists keep in memory. */
  readonly replacedBytes: number;
}

/**
 * Asked before a list of many bytes is kept in memory, with the cache that has the same objects, undefined if there is none. The list is made when the promise
 * resolves; undefined = at once. Rejects if the request of the list is aborted meanwhile.
 */
export type AdmitLargeList = (cache: ListedCache | undefined) => Promise<void> | undefined;

/** A list of more bytes is large. */
export const largeListBytes = 2 * 1024 * 1024;

/** A list that was given up because its user must wait for a place. It is made again when the promise resolves. */
export interface AwaitingPlace {
  readonly admitted: Promise<void>;
}

/**
 * Makes a list, again if it has to wait. A function that waits keeps all that its variables refer to, so what makes the list must return first: then
 * nothing of it is in memory meanwhile.
 */
export async function whenAdmitted<List extends object>(attempt: () => Promise<List | AwaitingPlace>): Promise<List> {
  for (;;) {
    const made = await attempt();
    if (!('admitted' in made)) return made;
    await made.admitted;
  }
}

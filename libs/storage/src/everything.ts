import type { SelectionPredicate, StorageListOptions } from './storage.ts';

/** Selects every object. */
export const everything: SelectionPredicate = { matches: () => true, everything: true, exactFields: {} };

/** All objects in one list, as they are now. */
export const listEverything: StorageListOptions = {
  resourceVersion: '',
  limit: 0,
  continue: '',
  predicate: everything,
};

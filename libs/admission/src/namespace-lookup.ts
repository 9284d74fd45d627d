import { namespaceState, type NamespaceLookup } from './namespace-lifecycle.ts';
import { lookedUp, oncePerObject, type ObjectLookup } from './object-lookup.ts';

const stateOf = oncePerObject(namespaceState);

/** A NamespaceLookup that reads namespaces through the ObjectLookup of the plugins. */
export function lookupNamespaces(lookup: ObjectLookup): NamespaceLookup {
  const state = async (from: 'get' | 'live', name: string) => {
    const namespace = await lookup[from](lookedUp.namespaces, '', name);
    return namespace === undefined ? undefined : stateOf(namespace);
  };
  return { cached: (name) => state('get', name), live: (name) => state('live', name) };
}

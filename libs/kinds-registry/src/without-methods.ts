import type { ResourceStorage } from '@apichain/apiserver';

/**
 * The same storage without some methods. Verbs and routes follow from the methods of a storage, and a few built-in resources have fewer than
 * their class (namespaces have no deletecollection, namespaces/finalize has only PUT).
 */
export function withoutMethods(storage: ResourceStorage, hidden: readonly string[]): ResourceStorage {
  const isHidden = (name: string | symbol): boolean => typeof name === 'string' && hidden.includes(name);
  return new Proxy(storage, {
    has: (target, name) => !isHidden(name) && Reflect.has(target, name),
    get: (target, name) => {
      if (isHidden(name)) return undefined;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const bound: unknown = member.bind(target);
      return bound;
    },
  });
}

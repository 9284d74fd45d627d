/**
 * A value that is made when it is first asked for, and kept: a library that few programs need, a table that is derived from constants,
 * or the writer of a type, which may contain itself. It must not depend on a server or a request.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * A function that computes what follows from an object alone, once for each object: for objects that never change, such as types, versions of API objects and
 * columns. A result lives as long as its object. An error is not kept.
 */
export function oncePerObject<Key extends object, Value>(compute: (object: Key) => Value): (object: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (object) => {
    const found = known.get(object);
    if (found !== undefined || known.has(object)) return found as Value;
    const value = compute(object);
    known.set(object, value);
    return value;
  };
}

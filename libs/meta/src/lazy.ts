/**
 * A value that is made when it is first asked for, and kept: a library that few programs need, a table that is derived from constants,
 * or the writer of a type, which may contain itself. It must not depend on a server or a request.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Responses with status 500 that kube-apiserver 1.36 gives too, with its messages. A server with another response would be wrong. All other
 * statuses above 499 except 503 and 504 are findings.
 */
const documented: readonly RegExp[] = [
  // Kubernetes parses resourceVersion late, both for single objects and in preconditions of writes.
  /strconv\.ParseUint: parsing .*: (invalid syntax|value out of range)/,
  /resourceVersion should not be set on objects to be created/,
  // Invalid strategic merge patches.
  /unknown patch type: /,
  /does not contain declared merge key: /,
  /unable to find api field in struct /,
  /The order in patch list:/,
  /list element types are not identical: /,
  // Server-side apply of an object that the schema does not allow.
  /failed to create typed patch object /,
  /failed to convert new object /,
  // The name or namespace is `.` or `..`.
  /invalid key: \\?"\//,
  // An object of another kind in place of DeleteOptions.
  /decoded object cannot be converted to DeleteOptions/,
  // The deprecated /watch/ prefix without a resource.
  /failed to create RequestInfo: unable to determine kind and namespace from url/,
  // Objects that exceed etcd's size limit.
  /etcdserver: request is too large/,
  /message larger than max/,
  /yaml: control characters are not allowed/,
];

export const isDocumented = (message: string): boolean => documented.some((pattern) => pattern.test(message));

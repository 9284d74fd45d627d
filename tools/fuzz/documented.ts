/**
 * 500s that kube-apiserver 1.36 itself answers, in its words: a server that answered anything else would be the one that is wrong.
 * Everything else above 499 but 503 and 504 is a finding.
 */
const documented: readonly RegExp[] = [
  // Kubernetes parses resourceVersion late, on single objects and in preconditions of writes.
  /strconv\.ParseUint: parsing .*: (invalid syntax|value out of range)/,
  /resourceVersion should not be set on objects to be created/,
  // Strategic merge patches that make no sense.
  /unknown patch type: /,
  /does not contain declared merge key: /,
  /unable to find api field in struct /,
  /The order in patch list:/,
  /list element types are not identical: /,
  // Server-side apply of what the schema does not allow.
  /failed to create typed patch object /,
  /failed to convert new object /,
  // A name or namespace that is `.` or `..`.
  /invalid key: \\?"\//,
  // An object of another kind where DeleteOptions belong.
  /decoded object cannot be converted to DeleteOptions/,
  // The deprecated /watch/ prefix without a resource.
  /failed to create RequestInfo: unable to determine kind and namespace from url/,
  // Objects that etcd does not take.
  /etcdserver: request is too large/,
  /message larger than max/,
  /yaml: control characters are not allowed/,
];

export const isDocumented = (message: string): boolean => documented.some((pattern) => pattern.test(message));

import type { FuzzRequest } from './request.ts';
import type { Outcome } from './target.ts';

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

const isDocumented = (message: string): boolean => documented.some((pattern) => pattern.test(message));

/** A defect of the server. Findings with the same `key` count as one. */
export interface Finding {
  readonly index: number;
  readonly key: string;
  readonly what: string;
  readonly request: FuzzRequest;
}

/** The server is overloaded, or a service behind it timed out. Both are documented responses, not defects. */
const expectedStatuses: ReadonlySet<number> = new Set([503, 504]);

/** The message of a Status, or the printable text of another representation. */
function messageOf(body: string): string {
  return /"message":\s?"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body.replace(/[^\x21-\x7e]+/g, ' ');
}

const generalized = (message: string): string => message.replace(/\\"[^"]*\\"|[0-9]+/g, '#').slice(0, 80);

/** Classifies an outcome. Returns a key that identifies the defect, and a description. Undefined when there is no defect. */
export function judge(outcome: Outcome): { key: string; what: string } | undefined {
  switch (outcome.kind) {
    case 'timeout':
      return { key: 'timeout', what: 'no response in time' };
    case 'reset':
      return { key: 'reset', what: `the connection was reset (${outcome.message})` };
    case 'response': {
      const { status, body } = outcome;
      if (status < 500 || expectedStatuses.has(status)) return undefined;
      const message = messageOf(body);
      if (isDocumented(message)) return undefined;
      return { key: `${status} ${generalized(message)}`, what: `${status}: ${message.slice(0, 300)}` };
    }
  }
}

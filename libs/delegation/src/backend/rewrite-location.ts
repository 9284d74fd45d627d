import { posix } from 'node:path';

/** How a backend appears under this server. */
export interface BackendPlace {
  /** The path that stands before the backend's own. */
  readonly prefix: string;
  /** The backend's host and port. */
  readonly backendHost: string;
  /** What the client calls this server. */
  readonly clientHost: string;
}

/**
 * Where a redirect of a backend leads a client that goes through this server: what stays at the backend gets the prefix, what is relative
 * or leads elsewhere stays as it is. After rewriteURL of k8s.io/apimachinery/pkg/util/proxy.
 */
export function rewriteLocation(location: string, { prefix, backendHost, clientHost }: BackendPlace): string {
  const [, scheme = '', host = '', path = '', rest = ''] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/([^/?#]*))?([^?#]*)(.*)$/su.exec(location) ?? [];
  const leadsElsewhere = host !== '' && host !== backendHost && host !== clientHost;
  if (leadsElsewhere || !path.startsWith('/')) return location;
  const origin = host !== '' && host === clientHost ? `${scheme}//${host}` : '';
  return `${origin}${path.startsWith(prefix) ? path : posix.join(prefix, path)}${rest}`;
}

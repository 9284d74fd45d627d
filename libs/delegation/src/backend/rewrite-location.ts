import { posix } from 'node:path';

/** How a backend is exposed by this server. */
interface BackendPlace {
  /** The path prefix of the backend on this server. */
  readonly prefix: string;
  /** The backend's host and port. */
  readonly backendHost: string;
  /** The host name by which the client reached this server. */
  readonly clientHost: string;
}

/**
 * Rewrites a redirect of a backend for a client that goes through this server. A location at the backend gets the prefix; a relative location or
 * one of another host is not changed. After rewriteURL of k8s.io/apimachinery/pkg/util/proxy.
 */
export function rewriteLocation(location: string, { prefix, backendHost, clientHost }: BackendPlace): string {
  const [, scheme = '', host = '', path = '', rest = ''] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/([^/?#]*))?([^?#]*)(.*)$/su.exec(location) ?? [];
  const leadsElsewhere = host !== '' && host !== backendHost && host !== clientHost;
  if (leadsElsewhere || !path.startsWith('/')) return location;
  const origin = host !== '' && host === clientHost ? `${scheme}//${host}` : '';
  return `${origin}${path.startsWith(prefix) ? path : posix.join(prefix, path)}${rest}`;
}

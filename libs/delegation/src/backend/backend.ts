import http from 'node:http';
import https from 'node:https';

/** A server outside the chain that a request is forwarded to, and the path to request: a kubelet, or a server in a pod. */
export interface Backend {
  readonly protocol: 'http:' | 'https:';
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Escaped, with the query if there is one; may be empty. */
  readonly path: string;
  /** Opens the connections: an https.Agent for https. */
  readonly agent: http.Agent;
}

/** Sends a GET of this server to a backend. */
export function getFromBackend(
  { protocol, host, port, agent, path }: Backend,
  signal: AbortSignal,
): http.ClientRequest {
  const headers = ['Host', authorityOf({ host, port })];
  const options = { protocol, host, port, agent, path: path === '' ? '/' : path, headers, signal };
  return (protocol === 'http:' ? http : https).get(options);
}

/** `host:port` as in a URL. */
export const authorityOf = ({ host, port }: Pick<Backend, 'host' | 'port'>): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

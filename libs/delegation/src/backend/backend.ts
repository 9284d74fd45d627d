import http from 'node:http';
import https from 'node:https';

/** A server outside the chain that a request is passed on to, and what it is asked for: a kubelet, or what listens in a pod. */
export interface Backend {
  readonly protocol: 'http:' | 'https:';
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Escaped, with the query if there is one; may be empty. */
  readonly path: string;
  /** Makes the connections: an https.Agent for https. */
  readonly agent: http.Agent;
}

/** Asks a backend with a GET of our own. */
export function getFromBackend(
  { protocol, host, port, agent, path }: Backend,
  signal: AbortSignal,
): http.ClientRequest {
  const headers = ['Host', authorityOf({ host, port })];
  const options = { protocol, host, port, agent, path: path === '' ? '/' : path, headers, signal };
  return (protocol === 'http:' ? http : https).get(options);
}

/** `host:port` as a URL has it. */
export const authorityOf = ({ host, port }: Pick<Backend, 'host' | 'port'>): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

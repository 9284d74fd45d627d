import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isForwarded } from '../delegation/forwarded-headers.ts';

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

export interface BackendRequest {
  readonly method: string;
  /** Flat list of names and values, Host included. */
  readonly headers: readonly string[];
  /** Gives the request up. */
  readonly signal: AbortSignal;
  /** A Unix socket to connect to instead. */
  readonly socketPath?: string;
}

/** Begins a request; the caller sends the body. */
export function requestBackend(backend: Backend, { socketPath, ...options }: BackendRequest): http.ClientRequest {
  const { protocol, host, port, agent } = backend;
  const path = backend.path === '' ? '/' : backend.path;
  if (socketPath !== undefined) return http.request({ ...options, path, socketPath, agent: false });
  return (protocol === 'http:' ? http : https).request({ ...options, protocol, host, port, path, agent });
}

/** `host:port` as a URL has it. */
export const authorityOf = ({ host, port }: Pick<Backend, 'host' | 'port'>): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * The client's headers for a backend, as a flat list: without those of the connection, and without any that tell who the client is,
 * which are between it and this server.
 */
export function backendHeaders(request: IncomingMessage): string[] {
  const raw = request.rawHeaders;
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (isForwarded(name)) headers.push(name, raw[i + 1] ?? '');
  }
  const { host, ':authority': authority, 'x-forwarded-for': before } = request.headers;
  headers.push('Host', host ?? String(authority ?? ''));
  const from = request.socket.remoteAddress?.replace(/^::ffff:/, '');
  if (from !== undefined) headers.push('X-Forwarded-For', before === undefined ? from : `${String(before)}, ${from}`);
  return headers;
}

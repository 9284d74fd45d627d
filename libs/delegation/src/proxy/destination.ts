import type { Agent } from 'node:http';

/** Another server. */
export interface ProxyTarget {
  readonly protocol: 'http:' | 'https:';
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** A Unix socket to connect to instead of the host and port. */
  readonly socketPath?: string;
}

/** The destination of a request. */
export interface ProxyDestination {
  readonly target: ProxyTarget;
  /** Opens and keeps the connections. */
  readonly agent: Agent;
}

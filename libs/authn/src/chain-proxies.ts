import { isVouchedFor } from './vouched-connection.ts';

/**
 * Which front proxies count as the previous server in the chain, whose requests are already authorized. `socket`: those on connections that only
 * the previous server can have opened. `all`: also those with a front-proxy certificate, for a previous server that connects over TLS. With
 * `socket`, another front proxy with a certificate only supplies the identity of its client; its requests are authorized here.
 */
export type ChainProxies = 'none' | 'socket' | 'all';

/** Whether the front proxy at the other end of a connection counts as the previous server. `connection` is the socket of its requests. */
export const isChainProxy = (proxies: ChainProxies, connection: object): boolean =>
  proxies === 'all' || (proxies === 'socket' && isVouchedFor(connection));

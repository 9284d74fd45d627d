import { isVouchedFor } from './vouched-connection.ts';

/**
 * Which front proxies are the server before this one in the chain, whose requests are authorized already: `socket` those on connections that
 * only it can have opened, `all` those with a front-proxy certificate too, where it comes over TLS. A server that has a socket for
 * the one before it takes others with a certificate for what they are: somebody who says who asks, no more.
 */
export type ChainProxies = 'none' | 'socket' | 'all';

/** Whether the front proxy at the other end of a connection, which requests show as their socket, is one of these. */
export const isChainProxy = (proxies: ChainProxies, connection: object): boolean =>
  proxies === 'all' || (proxies === 'socket' && isVouchedFor(connection));

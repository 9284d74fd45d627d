import type { Socket } from 'node:net';

/**
 * Which front proxies count as the previous server in the chain, whose requests are already authorized. `socket`: those on connections that only
 * the previous server can have opened. `all`: also those with a front-proxy certificate, for a previous server that connects over TLS. With
 * `socket`, another front proxy with a certificate only supplies the identity of its client; its requests are authorized here.
 */
export type ChainProxies = 'none' | 'socket' | 'all';

const chainLink: unique symbol = Symbol('apichain.chainLink');

declare module 'node:net' {
  interface Socket {
    [chainLink]?: ChainLink;
  }
}

/**
 * How a listener knows that the previous server of the chain opened a connection. `socket`: nobody else can open the socket file, so the identities
 * that it sends are believed without a certificate. `certificate`: the connection has the certificate of a front proxy.
 */
type ChainLink = 'socket' | 'certificate';

/** Marks a connection (the `socket` of its requests) as one that the previous server of the chain has opened. */
export function markChainLink(connection: Socket, link: ChainLink): void {
  connection[chainLink] = link;
}

/** The mark of a connection; undefined for connections of clients. */
export const chainLinkOf = (connection: Socket): ChainLink | undefined => connection[chainLink];

/** Whether the front proxy at the other end of a connection counts as the previous server. `connection` is the socket of its requests. */
export const isChainProxy = (proxies: ChainProxies, connection: Socket): boolean =>
  proxies === 'all' || (proxies === 'socket' && chainLinkOf(connection) === 'socket');

import type { UserInfo } from './authenticator.ts';
import type { Socket } from 'node:net';

/**
 * The header for a user between the servers of the chain, when the X-Remote headers cannot carry the user unchanged: names with leading or
 * trailing blanks, control characters, more groups than a request may have headers. Base64 of JSON.
 */
export const chainIdentityHeader = 'X-Apichain-Identity';

/** A user as the value of `chainIdentityHeader`: base64 of JSON, so that any name passes unchanged. */
export function encodeIdentity({ name, uid, groups, extra }: UserInfo): string {
  return Buffer.from(JSON.stringify([name, uid, groups, Object.entries(extra)])).toString('base64');
}

/** Throws Error when the header is malformed. */
export function decodeIdentity(header: string): UserInfo {
  const parts: unknown = JSON.parse(Buffer.from(header, 'base64').toString());
  if (!Array.isArray(parts)) throw new Error('invalid identity');
  const [name, uid, groups, extra] = parts as readonly unknown[];
  if (typeof name !== 'string' || name === '' || typeof uid !== 'string' || !isTexts(groups) || !isExtra(extra))
    throw new Error('invalid identity');
  return { name, uid, groups, extra: Object.fromEntries(extra) };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

const isExtra = (value: unknown): value is [string, string[]][] =>
  Array.isArray(value) &&
  value.every(
    (entry) => Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string' && isTexts(entry[1]),
  );

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

import https from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'undici';
import { openPool } from './general-pool.ts';
import { LinkPool } from './link/pool.ts';

/** Who the two ends of the link are to each other. */
export interface LinkIdentity {
  /** PEM that the next server's certificate must chain to; undefined = the system's authorities. */
  readonly ca?: string;
  /** The front-proxy client certificate and key, PEM. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

export interface HttpDelegationOptions extends LinkIdentity {
  /** Base URL of the next server, e.g. `https://127.0.0.1:6444`, or `unix:///path` of the socket on which it serves the one before it. */
  readonly url: string;
  /** Name to expect in the certificate, where it is not the host of the URL. */
  readonly serverName?: string;
}

/** A header of an answer may hold what its request was, for an audit event. */
const maxHeaderBytes = 1024 * 1024;
/** As long as Kubernetes lets a dial take: a machine under load must not turn into 503s. */
const connectTimeoutMs = 30_000;

/** What requests go over: nearly all the link, large bodies the pool, upgrades connections of the agent's making. */
export interface Connections {
  readonly pool: Pool;
  readonly link: LinkPool;
  readonly agent: https.Agent;
  /** What the next server is told to be called. */
  readonly origin: string;
  /** Where it is, when that is a Unix socket. */
  readonly socketPath?: string;
}

/** Throws Error when a certificate cannot be used. */
export function openConnections(options: HttpDelegationOptions): Connections {
  const url = new URL(options.url);
  return url.protocol === 'unix:' ? overSocket(url) : overTcp(url, options);
}

const streams = {
  connections: null,
  maxHeaderSize: maxHeaderBytes,
  pipelining: 1,
  // Over HTTP/2 undici joins repeated headers, and a group may contain a comma.
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 60_000,
};

/** Two processes of one host and one user: without TLS, the rights on the file say who may connect. */
function overSocket(url: URL): Connections {
  const socketPath = fileURLToPath(`file://${url.pathname}`);
  const origin = 'http://localhost';
  return {
    origin,
    socketPath,
    agent: new https.Agent(),
    link: new LinkPool({ socketPath, host: '', port: 0, connectTimeoutMs }),
    pool: openPool(origin, { ...streams, connect: { socketPath, timeout: connectTimeoutMs } }),
  };
}

function overTcp(url: URL, options: HttpDelegationOptions): Connections {
  // Made once: to read certificates takes longer than the handshake of a connection.
  const secureContext = createSecureContext({
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.clientCertificate === undefined ? {} : { cert: options.clientCertificate }),
    ...(options.clientKey === undefined ? {} : { key: options.clientKey }),
  });
  const tls = {
    secureContext,
    ...(options.serverName === undefined ? {} : { servername: options.serverName }),
  };
  const secure = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const { serverName = isIP(hostname) === 0 ? hostname : '' } = options;
  return {
    origin: url.origin,
    agent: new https.Agent({ ...tls, keepAlive: false }),
    link: new LinkPool({
      host: hostname,
      port: Number(url.port) || (secure ? 443 : 80),
      ...(secure ? { tls: { secureContext, servername: serverName } } : {}),
      connectTimeoutMs,
    }),
    pool: openPool(url.origin, { ...streams, connect: { ...tls, timeout: connectTimeoutMs } }),
  };
}

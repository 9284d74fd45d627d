import http from 'node:http';
import https from 'node:https';
import { Socket, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { serverVerification } from '@apichain/x509';

/** The dial timeout of Kubernetes. It is long, so that a machine under load does not cause 503s. */
const connectTimeoutMs = 30_000;
/** Less than the other server's idle timeout (90 s), so that this side closes idle connections first. */
const idleTimeoutMs = 60_000;

export interface AgentOptions {
  /** The limit of concurrent connections. Further requests wait for one. */
  readonly maxSockets: number;
  /** The limit of idle connections that are kept. */
  readonly maxFreeSockets: number;
  /** Chooses the address of each new connection, and follows it. Default: the first address that accepts it. */
  readonly addresses?: { readonly lookup: LookupFunction; follow(socket: Socket): void };
}

const kept = { keepAlive: true, noDelay: true, scheduling: 'lifo', timeout: idleTimeoutMs } as const;

/** The connections of an agent differ only in host and port, so Node need not build a key from all options for each request. */
const addressOf = ({ host = '', port = '' }: http.RequestOptions = {}) => `${String(host)}:${String(port)}`;

/** Keep-alive connections to one server, without TLS. */
export function plainAgent({ addresses, ...options }: AgentOptions): http.Agent {
  // An explicit empty server name, which saves Node the search for one with each request.
  const unnamed = { servername: '' };
  return prepared(new http.Agent({ ...kept, ...unnamed, ...options }), 'connect', addresses);
}

/** The same over TLS. `tls` has the client certificate and the trusted authorities, or a context made with `allowPartialTrustChain`. */
export function secureAgent(tls: https.AgentOptions, { addresses, ...options }: AgentOptions): https.Agent {
  const verified = { ...serverVerification, ...tls };
  const agent = new https.Agent({ ...kept, ...verified, ...options, ALPNProtocols: ['http/1.1'] });
  return prepared(agent, 'secureConnect', addresses);
}

/**
 * The options of a connection alone. Node passes those of the request that opens it too, and a TLS connection keeps what it gets for as long as it
 * is open: the head of a request of long ago.
 */
function ofConnection(options: http.ClientRequestArgs): http.ClientRequestArgs {
  const { headers: _headers, path: _path, method: _method, ...connection } = options;
  // To net.connect, a path is that of a Unix socket.
  return { ...connection, path: options.socketPath };
}

function prepared<Agent extends http.Agent>(
  agent: Agent,
  connected: string,
  addresses: AgentOptions['addresses'],
): Agent {
  agent.getName = addressOf;
  const open = agent.createConnection.bind(agent);
  agent.createConnection = (options) => {
    // Without the callback, by which the connection would keep the request. Node takes a returned connection as it takes one from the callback.
    const connection = ofConnection(options);
    const socket = open(addresses === undefined ? connection : { ...connection, lookup: addresses.lookup });
    if (socket) limitConnecting(socket, connected);
    if (socket instanceof Socket) addresses?.follow(socket);
    return socket;
  };
  return agent;
}

function limitConnecting(socket: Duplex, connected: string): void {
  const tooLong = setTimeout(() => socket.destroy(new Error('connecting took too long')), connectTimeoutMs);
  const clear = () => clearTimeout(tooLong);
  socket.once(connected, clear);
  socket.once('close', clear);
}

/** Closes idle connections now, and others as soon as their responses are complete. No more requests may be sent. */
export function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  closeIdle(agent);
}

/** Closes idle connections. The next request opens a new one. For a server that has failed: its idle connections may lead nowhere. */
export function closeIdle(agent: http.Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of [...(sockets ?? [])]) socket.destroy();
}

import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

/** As long as Kubernetes lets a dial take: a machine under load must not turn into 503s. */
const connectTimeoutMs = 30_000;
/** Less than the other side's idle timeout (90 s), so that it is us who close. */
const idleTimeoutMs = 60_000;

export interface AgentOptions {
  /** Connections at the same time. Further requests wait for one. */
  readonly maxSockets: number;
  /** Connections kept without a request. */
  readonly maxFreeSockets: number;
}

const kept = { keepAlive: true, noDelay: true, scheduling: 'lifo', timeout: idleTimeoutMs } as const;

/** Connections of an agent differ in nothing else: Node need not put a name together from every option for each request. */
const addressOf = ({ host = '', port = '' }: http.RequestOptions = {}) => `${String(host)}:${String(port)}`;

/** Keep-alive connections to one server, without TLS. */
export function plainAgent(options: AgentOptions): http.Agent {
  // Without a name for TLS, which Node would otherwise look for with each request.
  const unnamed = { servername: '' };
  return prepared(new http.Agent({ ...kept, ...unnamed, ...options }), 'connect');
}

/** The same over TLS; `tls` says who we are, and whom to trust. */
export function secureAgent(tls: https.AgentOptions, options: AgentOptions): https.Agent {
  return prepared(new https.Agent({ ...kept, ...tls, ...options, ALPNProtocols: ['http/1.1'] }), 'secureConnect');
}

function prepared<Agent extends http.Agent>(agent: Agent, connected: string): Agent {
  agent.getName = addressOf;
  const open = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = open(options, callback);
    if (socket) limitConnecting(socket, connected);
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

/** Lets connections go as soon as nobody waits for an answer on them. No more requests are to be sent. */
export function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

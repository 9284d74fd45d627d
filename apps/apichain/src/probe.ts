import { Agent } from 'node:https';
import { connect } from 'node:net';
import { createSecureContext } from 'node:tls';
import { requestLocal, trustsGiven, type LocalRequest, type LocalTls } from './local-request.ts';

export interface ProbeOptions extends LocalTls {
  /** Plain HTTP where there are no authorities. */
  readonly url: string;
  readonly timeoutMs?: number;
  /** Sends all probes over one connection while it stays open. */
  readonly keepAlive?: boolean;
}

/** Whether a URL and a file of authorities are enough for a probe: plain HTTP needs none. */
export const isWhole = (url: string | undefined, caFile: string | undefined): url is string =>
  url !== undefined && (caFile !== undefined || url.startsWith('http://'));

/** Sends a GET to a health path. Resolves to undefined on status 200, otherwise to the problem. */
export function probe({ url, timeoutMs = 2_000, ...tls }: ProbeOptions): Promise<string | undefined> {
  return ask(url, { ...tls, timeoutMs });
}

/**
 * Returns a probe to repeat until it succeeds. The TLS context is created once, and a port that is not open yet costs only a refused
 * connection. Polling must not take processor time from the processes that are starting.
 */
export function repeatedProbe(options: ProbeOptions): () => Promise<string | undefined> {
  const { url, timeoutMs = 2_000, keepAlive = false, ...tls } = options;
  const { hostname, port } = new URL(url);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  let agent: Agent | undefined;
  return async () => {
    const refused = agent === undefined ? await refusal(address, timeoutMs) : undefined;
    if (refused !== undefined) return refused;
    agent ??= new Agent({ secureContext: createSecureContext({ ...tls, ...trustsGiven }), keepAlive, maxSockets: 1 });
    return ask(url, { agent, timeoutMs });
  };
}

/** The reason why no connection can be opened; undefined when one can be opened. */
function refusal(address: { host: string; port: number }, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (problem?: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    const socket = connect(address, () => end());
    const timer = setTimeout(() => end(`no response within ${timeoutMs} ms`), timeoutMs);
    socket.on('error', (error) => end(error.message));
  });
}

const ask = (url: string, options: LocalRequest): Promise<string | undefined> =>
  requestLocal(url, options).then(
    ({ status, body }) => (status === 200 ? undefined : `${status}: ${body.trim()}`),
    ({ message }: Error) => message,
  );

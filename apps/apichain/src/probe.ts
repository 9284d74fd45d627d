import { get as getPlain, type IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { connect } from 'node:net';
import { createSecureContext } from 'node:tls';

export interface ProbeOptions {
  readonly url: string;
  /** PEM text of the certificates to trust: authorities, or the certificate of the server itself. Without it the URL is plain HTTP. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly timeoutMs?: number;
  /** Sends all probes over one connection while it stays open. */
  readonly keepAlive?: boolean;
}

/** A given certificate is trusted although it is not that of an authority. */
const trustsGiven = { allowPartialTrustChain: true } as const;

/** Whether a URL and a file of authorities are enough for a probe: plain HTTP needs none. */
export const isWhole = (url: string | undefined, caFile: string | undefined): url is string =>
  url !== undefined && (caFile !== undefined || url.startsWith('http://'));

/** Sends a GET to a health path. Resolves to undefined on status 200, otherwise to the problem. */
export function probe(options: ProbeOptions): Promise<string | undefined> {
  const { url, timeoutMs = 2_000, ...tls } = options;
  return ask(url, tls.ca === undefined ? undefined : new Agent({ ...tls, ...trustsGiven }), timeoutMs);
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
    return ask(url, agent, timeoutMs);
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
    const timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.on('error', (error) => end(error.message));
  });
}

function ask(url: string, agent: Agent | undefined, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // The timeout of a socket begins anew with each of its steps, so it does not limit the whole call.
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = ({ message }: Error) => resolve(signal.aborted ? `no answer within ${timeoutMs} ms` : message);
    const onAnswer = (answer: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', fail);
      answer.on('end', () =>
        resolve(
          answer.statusCode === 200
            ? undefined
            : `${answer.statusCode}: ${Buffer.concat(chunks).toString('utf8').trim()}`,
        ),
      );
    };
    const request = agent === undefined ? getPlain(url, { signal }, onAnswer) : get(url, { agent, signal }, onAnswer);
    request.on('error', fail);
  });
}

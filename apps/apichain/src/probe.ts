import { Agent, get } from 'node:https';
import { connect } from 'node:net';
import { createSecureContext } from 'node:tls';

export interface ProbeOptions {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
  readonly timeoutMs?: number;
  /** Probes go over one connection for as long as it lasts. */
  readonly keepAlive?: boolean;
}

/** GETs a health path; resolves to undefined when it answers 200, otherwise to what it said. */
export function probe(options: ProbeOptions): Promise<string | undefined> {
  const { url, timeoutMs = 2_000, ...tls } = options;
  return ask(url, new Agent(tls), timeoutMs);
}

/**
 * A probe to repeat until it succeeds. What a TLS connection needs is made once, and a port that nothing listens on yet costs no
 * more than a refused connection: polling must not take the processor from those who are starting.
 */
export function repeatedProbe(options: ProbeOptions): () => Promise<string | undefined> {
  const { url, timeoutMs = 2_000, keepAlive = false, ...tls } = options;
  const { hostname, port } = new URL(url);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  let agent: Agent | undefined;
  return async () => {
    const refused = agent === undefined ? await refusal(address) : undefined;
    if (refused !== undefined) return refused;
    agent ??= new Agent({ secureContext: createSecureContext(tls), keepAlive, maxSockets: 1 });
    return ask(url, agent, timeoutMs);
  };
}

/** Why no connection can be opened; undefined when one can. */
function refusal(address: { host: string; port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on('error', (error) => resolve(error.message));
  });
}

function ask(url: string, agent: Agent, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent, timeout: timeoutMs }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', (error) => resolve(error.message));
      answer.on('end', () =>
        resolve(
          answer.statusCode === 200
            ? undefined
            : `${answer.statusCode}: ${Buffer.concat(chunks).toString('utf8').trim()}`,
        ),
      );
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on('error', (error) => resolve(error.message));
  });
}

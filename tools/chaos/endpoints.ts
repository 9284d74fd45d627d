import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import {
  openExchange,
  exchange,
  type ExchangeOptions,
  type ExchangeResult,
  type OpenExchange,
} from '../bench/exchange.ts';
import { isOk } from '../servers/get.ts';

/*
 * What a load balancer does for clients, as deploy/haproxy.cfg has it: a server is probed every second; after two failed probes it gets no
 * further requests, and those that run there end.
 */
const probePeriodMs = 1_000;
const probeTimeoutMs = 1_500;
const fall = 2;
/** What a client may wait for a response, in milliseconds: longer than the pause without a leader of etcd. */
const responseTimeoutMs = 30_000;

class Endpoint {
  readonly url: string;
  readonly #connections: number;
  #pool: Pool;
  failures = 0;

  constructor(url: string, connections: number) {
    this.url = url;
    this.#connections = connections;
    this.#pool = this.#open();
  }

  get pool(): Pool {
    return this.#pool;
  }

  /** Ends all requests of this server. Further ones use new connections. */
  async endAll(): Promise<void> {
    const ended = this.#pool;
    this.#pool = this.#open();
    await ended.destroy(new Error(`${this.url} does not respond`));
  }

  #open(): Pool {
    return new Pool(this.url, {
      connections: this.#connections,
      connect: { rejectUnauthorized: false, timeout: responseTimeoutMs },
      headersTimeout: responseTimeoutMs,
      bodyTimeout: 0,
    });
  }
}

/** The servers that clients may use. Client number N begins with the Nth one. `move` sends every client to another one. */
export class Endpoints {
  readonly #endpoints: readonly Endpoint[];
  readonly #token: string;
  readonly #streams = new Set<OpenExchange>();
  readonly #probing: Promise<void>;
  #offset = 0;
  #open = true;

  constructor(urls: readonly string[], token: string, connections: number) {
    this.#endpoints = urls.map((url) => new Endpoint(url, connections));
    this.#token = token;
    // A single server is used whatever probes say: clients have no other one.
    const probed = urls.length > 1 ? this.#endpoints : [];
    this.#probing = Promise.all(probed.map((endpoint) => this.#probe(endpoint))).then(() => undefined);
  }

  /** The server of a client, for messages. */
  urlOf(client: number): string {
    return this.#of(client).url;
  }

  /** Sends a request to the server of a client. Throws Error when there is no whole response. */
  exchange(client: number, options: ExchangeOptions): Promise<ExchangeResult> {
    return exchange(this.#of(client).pool, options, true);
  }

  /** As `exchange`, for a response without end. */
  async open(client: number, options: ExchangeOptions, onChunk: (chunk: Buffer) => void): Promise<OpenExchange> {
    const stream = await openExchange(this.#of(client).pool, options, onChunk);
    this.#streams.add(stream);
    const forget = () => this.#streams.delete(stream);
    stream.done.then(forget, forget);
    return stream;
  }

  /** Every client goes on at another server, watches included. */
  move(): void {
    this.#offset++;
    this.endStreams();
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.stop();
  }

  async close(): Promise<void> {
    this.#open = false;
    await this.#probing;
    for (const { pool } of this.#endpoints) await pool.destroy();
  }

  /** The next one of those that are up. If none is, then one of those that responded last. */
  #of(client: number): Endpoint {
    const all = this.#endpoints;
    const isUp = all.some(({ failures }) => failures < fall);
    const least = Math.min(...all.map(({ failures }) => failures));
    const usable = all.filter(({ failures }) => (isUp ? failures < fall : failures === least));
    const endpoint = usable[(client + this.#offset) % usable.length];
    if (endpoint === undefined) throw new Error('there is no server');
    return endpoint;
  }

  async #probe(endpoint: Endpoint): Promise<void> {
    const isReady = isOk(`${endpoint.url}/readyz`, this.#token, probeTimeoutMs);
    while (this.#open) {
      endpoint.failures = (await isReady()) ? 0 : endpoint.failures + 1;
      if (endpoint.failures === fall) await endpoint.endAll();
      await sleep(probePeriodMs);
    }
  }
}

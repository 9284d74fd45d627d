import type { FetchJson, FetchText } from '@apichain/authn';
import { httpTransport, type Transport } from '@apichain/client';
import { parseJson } from '@apichain/meta';

const maxDocumentBytes = 1024 * 1024;
/** Limits how long an unresponsive provider delays requests with its tokens. */
const requestTimeoutMs = 5_000;
/** The limit of hosts to which connections are kept. */
const maxHosts = 64;

/** Fetches the documents of token providers, which may be on several hosts. */
export class ProviderDocuments {
  readonly #ca: string | undefined;
  readonly #transports = new Map<string, Transport>();

  /** `ca`: PEM of the authorities for the providers' certificates; undefined = the system's authorities. */
  constructor(ca: string | undefined) {
    this.#ca = ca;
  }

  readonly fetchJson: FetchJson = async (url, signal) => parseJson(await this.#fetch(url, {}, signal));

  readonly fetchText: FetchText = (url, token) =>
    this.#fetch(url, token === undefined ? {} : { authorization: `Bearer ${token}` });

  async #fetch(url: string, headers: Readonly<Record<string, string>>, until?: AbortSignal): Promise<string> {
    const { origin, pathname, search } = new URL(url);
    const limit = AbortSignal.timeout(requestTimeoutMs);
    const signal = until === undefined ? limit : AbortSignal.any([limit, until]);
    const { status, body } = await this.#transport(origin).send({
      method: 'GET',
      path: `${pathname}${search}`,
      headers,
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxDocumentBytes) throw new Error(`${url}: the document is too large`);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return text;
  }

  #drop(origin: string): void {
    void this.#transports.get(origin)?.close();
    this.#transports.delete(origin);
  }

  close(): void {
    for (const transport of this.#transports.values()) void transport.close();
  }

  #transport(origin: string): Transport {
    let transport = this.#transports.get(origin);
    if (transport === undefined) {
      const [oldest] = this.#transports.keys();
      if (this.#transports.size >= maxHosts && oldest !== undefined) this.#drop(oldest);
      transport = httpTransport({ url: origin, connections: 2, ca: this.#ca });
      this.#transports.set(origin, transport);
    }
    return transport;
  }
}

import type { Transport, TransportRequest, TransportResponse } from '@apichain/client';

/** A transport that is opened with its first request, for parts that are made before the server they call. */
export class LateTransport implements Transport {
  readonly #open: () => Transport;
  #transport: Transport | undefined;

  constructor(open: () => Transport) {
    this.#open = open;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    this.#transport ??= this.#open();
    return this.#transport.send(request);
  }

  async close(): Promise<void> {
    await this.#transport?.close();
  }
}

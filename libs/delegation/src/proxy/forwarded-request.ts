import { IncomingMessage, ServerResponse, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { ProxyDestination } from './destination.ts';

/** Never connected: what the proxy library does with the connection of a request must not reach a client's. */
const noConnection = new Socket();

/** What the proxy library asks of the exchange that a request belongs to, and tells it. */
export interface ForwardedExchange {
  readonly destination: ProxyDestination;
  /** The library has made the request that goes on, and its head has not been sent. */
  begin(outgoing: ClientRequest, forwarded: ForwardedRequest): void;
  sendBody(destination: NodeJS.WritableStream): void;
  discardBody(): void;
  answered(answer: IncomingMessage, forwarded: ForwardedRequest): void;
  /** No answer, or not the whole of it, will come. */
  failed(error: Error, forwarded: ForwardedRequest): void;
}

/**
 * A request as the proxy library sees it: HTTP/1.1, whatever protocol the client speaks, with the headers that go on. The
 * client's own request stays as it came.
 */
export class ForwardedRequest extends IncomingMessage {
  readonly exchange: ForwardedExchange;

  constructor(exchange: ForwardedExchange, method: string, headers: IncomingHttpHeaders) {
    super(noConnection);
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    this.httpVersion = '1.1';
    this.exchange = exchange;
    this.method = method;
    // The library would take a path apart and write it anew; its exchange sets it, as it was authorized.
    this.url = '';
    this.headers = headers;
  }

  /** The library's way to ask for the body. */
  override pipe<Destination extends NodeJS.WritableStream>(destination: Destination): Destination {
    this.exchange.sendBody(destination);
    return destination;
  }

  /** The library does this when the answer came before all of the body was read, and then resumes. */
  override unpipe(): this {
    return this;
  }

  override resume(): this {
    this.exchange.discardBody();
    return this;
  }
}

/**
 * What the library gets for a response: it would break the client's off, without a word, whenever the other server fails. Exchanges answer
 * by themselves, over either protocol. One for all, because it keeps nothing.
 */
class NoResponse extends ServerResponse {
  override on(): this {
    return this;
  }

  override destroy(): this {
    return this;
  }
}

export const noResponse: ServerResponse = new NoResponse(new IncomingMessage(noConnection));
noResponse.destroyed = true;

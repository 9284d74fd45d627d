import { IncomingMessage, ServerResponse, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { ProxyDestination } from './destination.ts';

/** A socket that is never connected: operations of the proxy library on a request's connection must not affect the client's connection. */
const noConnection = new Socket();

/** What the proxy library needs from the exchange of a request, and the events that it reports to the exchange. */
export interface ForwardedExchange {
  readonly destination: ProxyDestination;
  /** The library has created the outgoing request and not yet sent its headers. */
  begin(outgoing: ClientRequest, forwarded: ForwardedRequest): void;
  sendBody(destination: NodeJS.WritableStream): void;
  discardBody(): void;
  answered(upstream: IncomingMessage, forwarded: ForwardedRequest): void;
  /** There will be no response, or no complete one. */
  failed(error: Error, forwarded: ForwardedRequest): void;
}

/**
 * A request in the form that the proxy library expects: HTTP/1.1, whatever protocol the client uses, with the headers to forward. The client's
 * request is not changed.
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
    // The library would parse and rewrite a path. The exchange sets the path exactly as it was authorized.
    this.url = '';
    this.headers = headers;
  }

  /** Called by the library to request the body. */
  override pipe<Destination extends NodeJS.WritableStream>(destination: Destination): Destination {
    this.exchange.sendBody(destination);
    return destination;
  }

  /** Called by the library when the response arrived before the whole body was read. The library then calls resume. */
  override unpipe(): this {
    return this;
  }

  override resume(): this {
    this.exchange.discardBody();
    return this;
  }
}

/**
 * The response object for the library. With the client's response, the library would close it without an error whenever the other server fails.
 * Exchanges write the responses themselves, for HTTP/1 and HTTP/2. One object is shared, because it has no state.
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

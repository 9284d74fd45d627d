import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { asError, isStatusError, newBadRequest, TurnBatch } from '@apichain/meta';
import { scopeOf, takeUpgrade, type RequestScope } from '@apichain/request';
import { writeStatusError } from '@apichain/request';
import { responseHeaders, clearResponseHead, headerOf, setResponseHead } from './response-headers.ts';
import { ResponseBody } from './response-body.ts';
import type { OutgoingHeaders } from './client-headers.ts';
import type { ProxyDestination } from './destination.ts';
import { ForwardedRequest, type ForwardedExchange } from './forwarded-request.ts';
import { joinSockets } from './join-sockets.ts';
import { forward } from './middleware.ts';
import { bodyOf, type RequestBody } from './request-body.ts';

/** The limit of Go's client for informational (1xx) responses. */
const maxInformational = 5;

const requestTarget = /^[\x21-\x7e]+$/;

/**
 * Requests of one turn of the event loop are sent together: each request that is sent alone wakes the other process separately. Without this a GET
 * takes 1.13 times the processor time ("GET" of `npm run bench`; docs/benchmarks-parts.md, "What the tuning buys").
 */
const sends = new TurnBatch();

const repeatableMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * One request that the proxy library sends to another server, and its response. It uses a connection exclusively until it is over. A failure of
 * the other server affects this request only. When a kept-alive connection turns out to be closed, the request is retried once, if its method may
 * be repeated.
 */
export abstract class Exchange implements ForwardedExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly scope: RequestScope;
  abstract readonly destination: ProxyDestination;
  #path = '/';
  #body: RequestBody;
  #forwarded: ForwardedRequest | undefined;
  #outgoing: ClientRequest | undefined;
  #upstream: ResponseBody | undefined;
  /** The headers of the response that may have been set on the client's response. */
  #responseHead: readonly string[] = [];
  #informational = 0;
  #repeated = false;
  #aborted = false;
  #over = false;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    this.scope = scopeOf(request);
  }

  /** The headers and the request target to send. Throws a StatusError for a request that cannot be forwarded. */
  protected abstract head(): { readonly path: string; readonly headers: OutgoingHeaders };
  /** Sets the headers with the client's identity. Identity headers of the client itself were dropped before. */
  protected abstract identify(outgoing: ClientRequest): void;
  /** Responds to a client that has received nothing yet, because the other server cannot be reached or its response is malformed. */
  protected abstract refuse(error: Error): void;

  /** Examines a response before it is forwarded, and may change its headers, a flat list. True = another response has been written instead. */
  protected inspect(_upstream: IncomingMessage, _headers: string[]): boolean {
    return false;
  }

  /** Receives each part of a response body; undefined marks the end. A part is valid during the call only. */
  protected keep(_part: Buffer | undefined): void {}

  /** Whether a response that breaks off is ended as if it were complete. */
  protected endsQuietly(): boolean {
    return false;
  }

  /** Whether a failure says that the other server was given up, so that a new connection leads to another one. */
  protected lostServer(_error: Error): boolean {
    return false;
  }

  /** Called once when the exchange is over. */
  protected finished(): void {}

  get isUpgrade(): boolean {
    return this.scope.pendingUpgrade !== undefined;
  }

  /** Starts the exchange. A response always follows; never throws. */
  start(): void {
    try {
      const body = this.isUpgrade ? undefined : bodyOf(this.request);
      this.scope.onAbort((reason) => this.#abort(asError(reason)));
      if (body instanceof Promise) {
        body.then(
          (bytes) => this.#send(bytes),
          (error: unknown) => this.#respondWithError(error),
        );
      } else this.#send(body);
    } catch (error) {
      this.#respondWithError(error);
    }
  }

  #send(body: RequestBody): void {
    if (this.#over) return;
    this.#body = body;
    try {
      this.#forward();
    } catch (error) {
      this.#respondWithError(error);
    }
  }

  #forward(): void {
    const { path, headers } = this.head();
    const length = lengthOf(this.#body, this.request.method);
    if (length !== undefined) headers['content-length'] = String(length);
    if (!requestTarget.test(path)) throw newBadRequest('the path of the request cannot be passed on');
    this.#path = path;
    this.#forwarded = new ForwardedRequest(this, this.request.method ?? 'GET', headers);
    forward(this.#forwarded);
  }

  /** The request to the other server exists: sets the last headers before anything is written. */
  begin(outgoing: ClientRequest, forwarded: ForwardedRequest): void {
    if (this.#over || forwarded !== this.#forwarded) {
      outgoing.destroy();
      return;
    }
    this.#outgoing = outgoing;
    outgoing.path = this.#path;
    this.identify(outgoing);
    if (isOfUnknownLength(this.#body)) {
      // Otherwise Node, and for DELETE the library, would send the body without marking its end.
      outgoing.removeHeader('Content-Length');
      outgoing.setHeader('Transfer-Encoding', 'chunked');
    }
    outgoing.on('information', () => {
      if (++this.#informational > maxInformational) outgoing.destroy(new Error('too many 1xx informational responses'));
    });
    // Also covers a 101 response that was not requested.
    outgoing.once('close', () => this.#over || this.failed(new Error('EOF'), forwarded));
    if (!this.isUpgrade) return;
    outgoing.setHeader('Connection', 'Upgrade');
    outgoing.setHeader('Upgrade', this.request.headers.upgrade ?? '');
    outgoing.on('upgrade', (upstream: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#guard(() => this.#upgraded(upstream, socket, head)),
    );
  }

  sendBody(destination: NodeJS.WritableStream): void {
    const body = this.#body;
    if (body === undefined) sends.add(() => this.#guard(() => destination.end()));
    else if (Buffer.isBuffer(body)) sends.add(() => this.#guard(() => destination.end(body)));
    else {
      body.stream.once('error', (error) => this.#outgoing?.destroy(error));
      body.stream.pipe(destination);
    }
  }

  /** Reads the rest of a body that the other server did not read, so that the client's next request can follow on the connection. */
  discardBody(): void {
    const body = this.#body;
    if (body !== undefined && !Buffer.isBuffer(body)) {
      body.stream.unpipe();
      body.stream.resume();
    }
    if (!this.request.readableEnded) this.request.resume();
  }

  answered(upstream: IncomingMessage, forwarded: ForwardedRequest): void {
    if (this.#over || forwarded !== this.#forwarded) {
      upstream.destroy();
      return;
    }
    this.#guard(() => {
      const headers = responseHeaders(upstream.rawHeaders);
      if (this.inspect(upstream, headers)) {
        upstream.destroy();
        this.#finish();
        return;
      }
      this.#responseHead = headers;
      setResponseHead(this.response, upstream.statusCode ?? 0, headers);
      const length = Number(headerOf(headers, 'content-length') ?? Number.NaN);
      this.#upstream = new ResponseBody(this.scope, this.response, upstream, length, {
        part: (part) => this.keep(part),
        end: () => this.#guard(() => this.#ended()),
        failed: (error) => this.failed(error, forwarded),
      });
    });
  }

  #ended(): void {
    this.keep(undefined);
    this.#upstream?.end();
    this.#finish();
  }

  #upgraded(upstream: IncomingMessage, socket: Duplex, head: Buffer): void {
    const upgrade = this.#over ? undefined : takeUpgrade(this.request);
    if (upgrade === undefined) {
      socket.destroy();
      return;
    }
    this.scope.initialized();
    this.#finish();
    joinSockets(upgrade, { upstream, socket, head });
  }

  /** Called by the library for a failure, possibly more than once. */
  failed(error: Error, forwarded: ForwardedRequest): void {
    if (this.#over || this.#aborted || forwarded !== this.#forwarded) return;
    const mayRepeat =
      !this.#repeated &&
      this.#upstream === undefined &&
      ((this.#outgoing?.reusedSocket === true && isStale(error)) || this.lostServer(error)) &&
      repeatableMethods.has(this.request.method ?? '') &&
      (this.#body === undefined || Buffer.isBuffer(this.#body));
    if (!mayRepeat) {
      this.#fail(error);
      return;
    }
    this.#repeated = true;
    this.#outgoing = undefined;
    this.#send(this.#body);
  }

  /** The client has disconnected, or the deadline has passed. In the latter case another handler responds first. */
  #abort(reason: Error): void {
    if (this.#over) return;
    this.#aborted = true;
    this.#outgoing?.destroy();
    setImmediate(() => this.#fail(reason));
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(asError(error));
    }
  }

  #respondWithError(error: unknown): void {
    if (!isStatusError(error)) {
      this.#fail(asError(error));
      return;
    }
    if (this.#over) return;
    if (!this.response.headersSent && !this.response.writableEnded)
      writeStatusError(this.request, this.response, error);
    this.#finish();
  }

  #fail(error: Error): void {
    if (this.#over) return;
    const { response } = this;
    if (!response.headersSent && !response.writableEnded && !response.destroyed) {
      clearResponseHead(response, this.#responseHead);
      this.refuse(error);
    } else if (!response.writableFinished) {
      this.#upstream?.flush();
      if (this.endsQuietly()) response.end();
      // HTTP/2 sends an error code, so that the client does not take a partial response for a complete one.
      else response.destroy();
    }
    this.#outgoing?.destroy();
    this.discardBody();
    this.#finish();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.finished();
  }
}

function lengthOf(body: RequestBody, method: string | undefined): number | undefined {
  if (Buffer.isBuffer(body)) return body.length;
  if (body !== undefined) return body.length;
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? 0 : undefined;
}

const isOfUnknownLength = (body: RequestBody): boolean =>
  body !== undefined && !Buffer.isBuffer(body) && body.length === undefined;

/** The error of a kept-alive connection that the other server has closed. */
const isStale = (error: Error): boolean => 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

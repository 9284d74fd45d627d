import { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import express, { type Express } from 'express';
import { ignoreLateHeaders } from './answer-once.ts';
import { failRequestOnListenerError } from './listener-errors.ts';
import { findScope } from './request-scope.ts';

/** An Express application, and the classes whose instances it wants: the HTTP/1 server should make its messages of them. */
export interface HttpApp {
  readonly app: Express;
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** Without the conveniences that cost time on every request. */
function leanApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  return app;
}

/**
 * Express gives every request and response a prototype of its own, and an object whose prototype changes is slow for the rest of
 * its life. Here they are born with it, so that there is nothing to change.
 */
export function createApp(): HttpApp {
  const app = leanApp();
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  app.request = adopt(AppRequest.prototype, express.request, app);
  app.response = adopt(AppResponse.prototype, express.response, app);
  return { app, IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

class Http2Answer extends http2.Http2ServerResponse {
  /**
   * Breaks off what has begun: reset without an error, a part of an answer would look like all of it. A watch that is ended (a shutdown) has no
   * whole: its client begins another.
   */
  override destroy(error?: Error): this {
    const scope = findScope(this.req);
    const mayEndAnywhere = scope?.longRunning === true && scope.isAborted;
    if (this.headersSent && !this.writableEnded && !mayEndAnywhere)
      this.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    return super.destroy(error);
  }
}

/**
 * The same for HTTP/2, whose requests and responses are of other classes: what Express gives them must descend from those, not from
 * the HTTP/1 ones.
 */
export function createHttp2App(): Express {
  const app = leanApp();
  app.request = adopt(Object.create(http2.Http2ServerRequest.prototype) as object, express.request, app);
  app.response = adopt(Http2Answer.prototype, express.response, app);
  return app;
}

/** Puts Express's extensions on a prototype. */
function adopt<T extends object>(prototype: object, extensions: T, app: Express): T {
  const extended = Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(extensions)) as T;
  Object.defineProperty(extended, 'app', { configurable: true, enumerable: true, writable: true, value: app });
  ignoreLateHeaders(extended);
  failRequestOnListenerError(extended);
  return extended;
}

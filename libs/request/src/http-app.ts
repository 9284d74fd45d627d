import { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import express, { type Express } from 'express';
import { ignoreLateHeaders } from './respond-once.ts';
import { failRequestOnListenerError } from './listener-errors.ts';
import { findScope } from './request-scope.ts';

/** One link of the handler chain: an Express middleware over Node's own request and response. */
export type Filter = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** An Express application, and the message classes that the HTTP/1 server must use for it. */
export interface HttpApp {
  readonly app: Express;
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** An application without the conveniences that cost time on every request. */
function leanApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  return app;
}

/**
 * Express changes the prototype of every request and response, and V8 handles an object slowly once its prototype has changed. Here the objects
 * are created with the right prototype, so nothing has to change.
 */
export function createApp(): HttpApp {
  const app = leanApp();
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  app.request = adopt(AppRequest.prototype, express.request, app);
  app.response = adopt(AppResponse.prototype, express.response, app);
  return { app, IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

class Http2Response extends http2.Http2ServerResponse {
  /**
   * Aborts a response that is incomplete: not ended, or not sent to its end. A reset without an error code would make a partial response look
   * complete. A watch that ends because of a shutdown has no complete form; its client starts another one.
   */
  override destroy(error?: Error): this {
    const scope = findScope(this.req);
    const mayEndAnywhere = scope?.longRunning === true && scope.isAborted;
    if (this.headersSent && !this.writableFinished && !mayEndAnywhere)
      this.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    return super.destroy(error);
  }
}

/**
 * The same for HTTP/2. Its requests and responses have other classes, and the Express extensions must inherit from those, not from the HTTP/1
 * classes. Each application has prototypes of its own: the methods of a shared one would be wrapped again for every server of the process.
 */
export function createHttp2App(): Express {
  const app = leanApp();
  app.request = adopt(Object.create(http2.Http2ServerRequest.prototype) as object, express.request, app);
  app.response = adopt(Object.create(Http2Response.prototype) as object, express.response, app);
  return app;
}

/** Adds Express's extensions to a prototype. */
function adopt<T extends object>(prototype: object, extensions: T, app: Express): T {
  const extended = Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(extensions)) as T;
  Object.defineProperty(extended, 'app', { configurable: true, enumerable: true, writable: true, value: app });
  ignoreLateHeaders(extended);
  failRequestOnListenerError(extended);
  return extended;
}

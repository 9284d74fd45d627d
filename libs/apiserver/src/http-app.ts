import http2 from 'node:http2';
import express, { type Express } from 'express';

/** An Express application without the conveniences that cost time on every request. */
export function createApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  return app;
}

/**
 * The same for HTTP/2: Express re-parents requests and responses onto its own prototypes, which descend from the HTTP/1
 * classes, so here they must descend from the HTTP/2 ones.
 */
export function createHttp2App(): Express {
  const app = createApp();
  app.request = reparent(express.request, http2.Http2ServerRequest.prototype, app);
  app.response = reparent(express.response, http2.Http2ServerResponse.prototype, app);
  return app;
}

function reparent<T extends object>(extensions: T, parent: object, app: Express): T {
  const prototype: T = Object.create(parent, Object.getOwnPropertyDescriptors(extensions)) as T;
  Object.defineProperty(prototype, 'app', { configurable: true, enumerable: true, writable: true, value: app });
  return prototype;
}

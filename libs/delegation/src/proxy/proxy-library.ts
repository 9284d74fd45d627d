import { createRequire } from 'node:module';
import type * as ProxyMiddleware from 'http-proxy-middleware';

const require = createRequire(import.meta.url);
let library: typeof ProxyMiddleware | undefined;

/** http-proxy-middleware, loaded with the first forwarded request: a chain in one process may never need it. */
export function proxyLibrary(): typeof ProxyMiddleware {
  library ??= require('http-proxy-middleware') as typeof ProxyMiddleware;
  return library;
}

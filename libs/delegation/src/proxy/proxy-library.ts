import { createRequire } from 'node:module';
import { lazy } from '@apichain/meta';
import type * as ProxyMiddleware from 'http-proxy-middleware';

const require = createRequire(import.meta.url);

/** http-proxy-middleware, loaded with the first forwarded request: a chain in one process may never need it. */
export const proxyLibrary = lazy(() => require('http-proxy-middleware') as typeof ProxyMiddleware);

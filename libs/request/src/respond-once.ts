import type { ServerResponse } from 'node:http';

/** Methods that throw once the headers have been sent. */
const headerMethods = ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader', 'writeHead'] as const;

/**
 * Makes header calls that come too late have no effect, instead of throwing. The deadline, a shutdown or a failure may have responded while a
 * handler was still working; the handler's headers are then useless. After timeoutWriter of k8s.io/apiserver/pkg/server/filters/timeout.go.
 * `prototype` is that of HTTP/1 or HTTP/2 responses.
 */
export function ignoreLateHeaders(prototype: object): void {
  for (const name of headerMethods) {
    const original: unknown = Reflect.get(prototype, name);
    if (typeof original !== 'function') continue;
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: ServerResponse, ...args: unknown[]): unknown {
        return this.headersSent ? this : Reflect.apply(original, this, args);
      },
    });
  }
}

/**
 * Whether a complete response may be written. Every writer checks this first. When another response has been sent in part, this breaks the
 * connection, since the client could not tell the two responses apart. When another response has been sent completely, there is nothing to do.
 */
export function mayRespond(response: ServerResponse): boolean {
  if (response.writableEnded || response.destroyed) return false;
  if (!response.headersSent) return true;
  response.destroy();
  return false;
}

/** Headers with which another response may have described its body. */
const bodyHeaders = ['Content-Length', 'Content-Encoding', 'Transfer-Encoding'] as const;

/** The same for an error response, when the handler may already have set headers of another response. Removes those that describe its body. */
export function mayRespondInstead(response: ServerResponse): boolean {
  if (!mayRespond(response)) return false;
  for (const name of bodyHeaders) response.removeHeader(name);
  return true;
}

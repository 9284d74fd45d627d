import type { ServerResponse } from 'node:http';

/** Methods that throw when the headers are out already. */
const headerMethods = ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader', 'writeHead'] as const;

/**
 * Lets what comes too late for a response be without effect instead of an error: the deadline, a shutdown or a failure may have answered
 * while a handler was still at work, and its headers are of no use then. After timeoutWriter of
 * k8s.io/apiserver/pkg/server/filters/timeout.go. `prototype` is that of HTTP/1 or HTTP/2 responses.
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
 * Whether a whole answer may be given: the one question before each of them. When a part of another is out, the connection is broken, since
 * the client could not tell the two apart; when all of it is, there is nothing to do.
 */
export function mayAnswer(response: ServerResponse): boolean {
  if (response.writableEnded || response.destroyed) return false;
  if (!response.headersSent) return true;
  response.destroy();
  return false;
}

/** What another answer has said of its body. */
const bodyHeaders = ['Content-Length', 'Content-Encoding', 'Transfer-Encoding'] as const;

/** The same for the refusal of a request whose handler may have begun to describe another answer. */
export function mayAnswerInstead(response: ServerResponse): boolean {
  if (!mayAnswer(response)) return false;
  for (const name of bodyHeaders) response.removeHeader(name);
  return true;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { findScope } from './request-scope.ts';

type Message = IncomingMessage | ServerResponse;

const requestOf = (message: Message): IncomingMessage => ('req' in message ? message.req : message);

/**
 * Limits an error thrown by a listener of a request or a response to that request. The events come from sockets and streams, where nothing would
 * catch the error. `prototype` is that of requests or of responses, HTTP/1 or HTTP/2.
 */
export function failRequestOnListenerError(prototype: object): void {
  wrap(
    prototype,
    'emit',
    (emit) =>
      function (this: Message, ...args: unknown[]): unknown {
        try {
          return Reflect.apply(emit, this, args);
        } catch (error) {
          const scope = findScope(requestOf(this));
          if (scope === undefined) throw error;
          scope.fail(error);
          return true;
        }
      },
  );
  for (const name of ['write', 'end']) wrap(prototype, name, guardingCallback);
}

/** The callback that runs once the bytes are written is also called from the connection. */
const guardingCallback = (method: Method): Method =>
  function (this: Message, ...args: unknown[]): unknown {
    const last = args.at(-1);
    if (typeof last === 'function') {
      const callback = (...results: unknown[]): void => void Reflect.apply(last, undefined, results);
      args[args.length - 1] = findScope(requestOf(this))?.guarded(callback) ?? callback;
    }
    return Reflect.apply(method, this, args);
  };

type Method = (this: Message, ...args: unknown[]) => unknown;

/** Wraps a method of the prototype, where it exists. */
function wrap(prototype: object, name: string, over: (method: Method) => Method): void {
  const method: unknown = Reflect.get(prototype, name);
  if (isMethod(method))
    Object.defineProperty(prototype, name, { configurable: true, writable: true, value: over(method) });
}

const isMethod = (value: unknown): value is Method => typeof value === 'function';

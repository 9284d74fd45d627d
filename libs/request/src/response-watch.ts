import type { ServerResponse } from 'node:http';

interface ResponseListener {
  /** Called once, before the headers are sent. Headers may still be set. */
  head(code: number): void;
  /** Called before the end of the response is sent, and again if it could not be sent. The end is delayed until the promise settles. */
  end(): Promise<unknown> | undefined;
}

/**
 * Observes a response by replacing its methods writeHead and end, which every way of responding calls. Audit, headers that depend on the response and tests use it;
 * other responses stay unchanged.
 */
export function watchResponse(response: ServerResponse, listener: ResponseListener): void {
  let isHeadSeen = false;
  let isEnding = false;
  const see = (code: number) => {
    if (isHeadSeen) return;
    isHeadSeen = true;
    listener.head(code);
  };
  const writeHead = response.writeHead.bind(response);
  const end = response.end.bind(response);
  const original = {
    writeHead: (args: unknown[]): unknown => Reflect.apply(writeHead, response, args),
    end: (args: unknown[]): unknown => Reflect.apply(end, response, args),
  };
  Object.assign(response, {
    writeHead(...args: unknown[]): unknown {
      see(Number(args[0]));
      return original.writeHead(args);
    },
    end(...args: unknown[]): unknown {
      if (isEnding) return response;
      isEnding = true;
      try {
        see(response.statusCode);
        const wait = listener.end();
        if (wait === undefined) return original.end(args);
        sendHead(response, args[0]);
        const finish = () => {
          original.end(args);
        };
        wait.then(finish, finish);
        return response;
      } catch (error) {
        // A response that cannot be sent, e.g. because of its head, does not keep that of the error from being sent.
        isEnding = false;
        throw error;
      }
    },
  });
}

/** Fixes the status and headers, so that no other code can change the response while its end is delayed. */
function sendHead(response: ServerResponse, body: unknown): void {
  if (response.headersSent) return;
  const hasBody = typeof body === 'string' || Buffer.isBuffer(body);
  if (!response.hasHeader('content-length') && !response.hasHeader('transfer-encoding') && response.statusCode !== 204)
    response.setHeader('Content-Length', hasBody ? Buffer.byteLength(body) : 0);
  response.writeHead(response.statusCode);
}

import type { ServerResponse } from 'node:http';

export interface ResponseListener {
  /** Once, before the headers go out; headers may still be set. */
  head(code: number): void;
  /** Once, before the end of the answer goes out, which waits for the promise. */
  end(): Promise<unknown> | undefined;
}

/**
 * Tells what becomes of a response. Of the response's own methods, because every way of answering ends in them; a response that nobody
 * listens to stays as it is.
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
      see(response.statusCode);
      const wait = listener.end();
      if (wait === undefined) return original.end(args);
      sendHead(response, args[0]);
      const finish = () => {
        original.end(args);
      };
      wait.then(finish, finish);
      return response;
    },
  });
}

/** From here on the answer is decided, whatever else happens while it waits. */
function sendHead(response: ServerResponse, body: unknown): void {
  if (response.headersSent) return;
  const hasBody = typeof body === 'string' || Buffer.isBuffer(body);
  if (!response.hasHeader('content-length') && !response.hasHeader('transfer-encoding') && response.statusCode !== 204)
    response.setHeader('Content-Length', hasBody ? Buffer.byteLength(body) : 0);
  response.writeHead(response.statusCode);
}

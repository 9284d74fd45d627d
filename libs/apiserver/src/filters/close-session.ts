import type { ServerResponse } from 'node:http';

/** Go's equivalent of `Connection: close` over HTTP/2: the session ends (GOAWAY) after its pending responses. */
export function closeSession(response: ServerResponse): void {
  const { stream } = response as { stream?: { session?: { close(): void } } };
  // A stream that has ended has no session any more.
  const session = stream?.session;
  response.once('finish', () => session?.close());
}

import type { ServerResponse } from 'node:http';

/** What Go makes of `Connection: close` over HTTP/2: the session ends (GOAWAY) when it has no more answers to give. */
export function closeSession(response: ServerResponse): void {
  const { stream } = response as { stream?: { session?: { close(): void } } };
  // A stream that has ended does not know its session any more.
  const session = stream?.session;
  response.once('finish', () => session?.close());
}

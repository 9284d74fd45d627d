import type { IncomingMessage } from 'node:http';

/*
 * What a server takes for the head of a request. The first server of a chain refuses what the next one would: a client gets less than the
 * server before this one, which adds who the client is.
 */

interface HeadLimit {
  /** Names, values and the request line. */
  readonly bytes: number;
  readonly headers: number;
}

/** As many bytes as kube-apiserver takes. */
const ofClients: HeadLimit = { bytes: 1 << 20, headers: 1_000 };
/** Room for an identity (1 MiB in Base64) and for the headers that a hop adds. */
const ofChain: HeadLimit = { bytes: 3 << 20, headers: 1_200 };

/** What Node reads at all: a little more than the chain may send, so that it is `headRefusal` that refuses. */
export const parserLimits = {
  maxHeaderSize: ofChain.bytes + (64 << 10),
  maxHeadersCount: ofChain.headers + 1,
} as const;

const chainConnections = new WeakSet<object>();

/** The other end of the connection, which requests show as their socket, is the server before this one in the chain. */
export function isOfChain(connection: object): void {
  chainConnections.add(connection);
}

/** Spaces end a request target, and what is beyond ASCII must be escaped (RFC 3986): HTTP/1.1 refuses both, HTTP/2 passes them on. */
const target = /^[\x21-\x7e]+$/;

/** The status of the refusal for a request whose head this server, or the next, does not take. */
export function headRefusal(request: IncomingMessage): 400 | 431 | undefined {
  const { url = '', rawHeaders } = request;
  if (!target.test(url)) return 400;
  const limit = chainConnections.has(request.socket) ? ofChain : ofClients;
  if (rawHeaders.length > 2 * limit.headers) return 431;
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes > limit.bytes ? 431 : undefined;
}

/** The words of a refusal. */
export const refusalText = { 400: '400 Bad Request', 431: '431 Request Header Fields Too Large' } as const;

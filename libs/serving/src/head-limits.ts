import type { IncomingMessage } from 'node:http';
import { chainLinkOf } from '@apichain/authn';

/*
 * The limits for the head of a request. The first server of a chain refuses what the next server would refuse. So the limit for clients is
 * lower than the limit for the previous server of a chain, which adds headers with the identity of the client.
 */

interface HeadLimit {
  /** Names, values and the request line. */
  readonly bytes: number;
  readonly headers: number;
}

/** The limit of kube-apiserver, in bytes. */
const ofClients: HeadLimit = { bytes: 1 << 20, headers: 1_000 };
/** Room for an identity (1 MiB in Base64) and for the headers that a hop adds. */
const ofChain: HeadLimit = { bytes: 3 << 20, headers: 1_200 };

/** The limits of Node's parser: slightly above the limits of the chain, so that requests are refused by `headRefusal` and not by Node. */
export const parserLimits = {
  maxHeaderSize: ofChain.bytes + (64 << 10),
  maxHeadersCount: ofChain.headers + 1,
} as const;

/** A request target has no spaces, and non-ASCII characters must be escaped (RFC 3986). HTTP/1.1 refuses both; HTTP/2 passes them on. */
const target = /^[\x21-\x7e]+$/;

/** The status code for a request whose head exceeds the limits of this or the next server; undefined = accepted. */
export function headRefusal(request: IncomingMessage): 400 | 431 | undefined {
  const { url = '', rawHeaders } = request;
  if (!target.test(url)) return 400;
  const limit = chainLinkOf(request.socket) === undefined ? ofClients : ofChain;
  if (rawHeaders.length > 2 * limit.headers) return 431;
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes > limit.bytes ? 431 : undefined;
}

/** The text of a refusal. */
export const refusalText = { 400: '400 Bad Request', 431: '431 Request Header Fields Too Large' } as const;

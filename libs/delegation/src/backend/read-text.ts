import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { connectionReason } from '@apichain/admission';
import { goQuote } from '@apichain/go-text';
import {
  newBadRequest,
  newGenericServerResponse,
  newInternalError,
  newUnknownError,
  type GroupResource,
} from '@apichain/meta';
import { scopeOf } from '@apichain/request';
import { authorityOf, getFromBackend, type Backend } from './backend.ts';

/** The limit in bytes of a backend's error text that is sent to the client. */
const maxRefusalBytes = 50_000;

/** The object that a text belongs to: `pods/log` of a name. */
interface TextSubject {
  readonly resource: GroupResource;
  readonly name: string;
}

/**
 * Responds with the content of a backend's path, as plain text that may last as long as the client reads. Throws the client's error when there is
 * no text, with the messages of LocationStreamer of k8s.io/apiserver/pkg/registry/generic/rest.
 */
export async function respondWithText(
  request: IncomingMessage,
  response: ServerResponse,
  backend: Backend,
  subject: TextSubject,
): Promise<void> {
  const upstream = await get(backend, scopeOf(request).signal);
  const status = upstream.statusCode ?? 0;
  if (status < 200 || status > 206) throw await refusal(upstream, status, subject);
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  response.flushHeaders();
  scopeOf(request).initialized();
  try {
    await pipeline(upstream, response);
  } catch {
    // Part of the response has been sent. Closing the connection tells the client that the response is incomplete.
    response.destroy();
  }
}

function get(backend: Backend, signal: AbortSignal): Promise<IncomingMessage> {
  const authority = authorityOf(backend);
  return new Promise((resolve, reject) => {
    const failed = (url: string, reason: string) => reject(newUnknownError(`Get ${goQuote(url)}: ${reason}`));
    const outgoing = getFromBackend(backend, signal);
    outgoing.on('response', (upstream) => {
      const { statusCode: status = 0, headers } = upstream;
      if (headers.location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
        resolve(upstream);
        return;
      }
      // A kubelet must not redirect this server to another one.
      upstream.destroy();
      failed(headers.location, 'redirects forbidden');
    });
    outgoing.on('error', (error) =>
      failed(`${backend.protocol}//${authority}${backend.path}`, connectionReason(error)),
    );
  });
}

async function refusal(upstream: IncomingMessage, status: number, { resource, name }: TextSubject): Promise<Error> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of upstream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxRefusalBytes) break;
  }
  const text = Buffer.concat(chunks).toString('utf8', 0, maxRefusalBytes);
  if (status === 500) return newInternalError(text);
  if (status === 400) return newBadRequest(text);
  return newGenericServerResponse(status, resource, name, text);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { connectionReason } from '@apichain/admission';
import { newServiceUnavailable } from '@apichain/meta';
import { returnedHeaders } from '../delegation/forwarded-headers.ts';
import { writeRawHead } from '../delegation/raw-head.ts';
import { scopeOf } from '../request-scope.ts';
import { authorityOf, backendHeaders, requestBackend, type Backend } from './backend.ts';
import { rewriteLocation } from './rewrite-location.ts';
import { asksForUpgrade, upgradeToBackend } from './stream-to-backend.ts';

/**
 * Passes a request on to a backend that appears below one of this server's paths, and the answer back as it comes; redirects within the
 * backend lead through here again. Throws ServiceUnavailable when the backend cannot be reached.
 * After UpgradeAwareHandler of k8s.io/apimachinery/pkg/util/proxy; links in pages of HTML stay as they are.
 */
export async function proxyRequest(
  request: IncomingMessage,
  response: ServerResponse,
  backend: Backend,
): Promise<void> {
  if (asksForUpgrade(request)) return upgradeToBackend(request, backend);
  const { url = '/', method = 'GET' } = request;
  const mark = url.indexOf('?');
  const [shown, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
  const path = shown.endsWith('/') && !backend.path.endsWith('/') ? `${backend.path}/` : backend.path;
  if (path === '' && (method === 'GET' || method === 'HEAD')) {
    response.writeHead(301, { Location: `${shown}/${query}` }).end();
    return;
  }
  const headers = [...backendHeaders(request), 'X-Forwarded-Uri', shown];
  const answer = await exchange(request, { ...backend, path: `${path}${query}` }, headers);
  const place = {
    prefix: shown.endsWith(path) ? shown.slice(0, shown.length - path.length) : shown,
    backendHost: authorityOf(backend),
    clientHost: request.headers.host ?? '',
  };
  writeRawHead(
    response,
    answer.statusCode ?? 502,
    shownHeaders(answer, (location) => rewriteLocation(location, place)),
  );
  response.flushHeaders();
  try {
    await pipeline(answer, response);
  } catch {
    // Half of an answer is out: the client sees by the broken connection that there is no more.
    response.destroy();
  }
}

/** Sends the request with its body, and resolves when the head of the answer is here. Throws ServiceUnavailable. */
function exchange(request: IncomingMessage, backend: Backend, headers: string[]): Promise<IncomingMessage> {
  const { signal } = scopeOf(request);
  return new Promise((resolve, reject) => {
    const outgoing = requestBackend(backend, { method: request.method ?? 'GET', headers, signal });
    outgoing.on('response', resolve);
    outgoing.on('error', (error) => {
      request.unpipe(outgoing);
      request.resume();
      reject(newServiceUnavailable(`error trying to reach service: ${connectionReason(error)}`));
    });
    request.pipe(outgoing);
  });
}

/** A backend must not decide which sites may use this server. */
const isCors = (name: string): boolean => /^access-control-allow-(?:credentials|headers|methods|origin)$/i.test(name);

function shownHeaders(answer: IncomingMessage, rewrite: (location: string) => string): string[] {
  const headers = returnedHeaders(answer.rawHeaders);
  const shown: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2);
    if (!isCors(name)) shown.push(name, name.toLowerCase() === 'location' ? rewrite(value) : value);
  }
  return shown;
}

import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { listening, type StandIn } from '../../servers/stand-ins.ts';

/** The API group of the stand-in. */
export const hangingGroup = 'hanging.example.com';

/** What gets no response: requests over HTTP/2, or every request. */
export type Hangs = 'nothing' | 'HTTP/2' | 'everything';

/** An extension API server with one resource without objects. Connections are always accepted. */
export interface HangingServer extends StandIn {
  hangs: Hangs;
}

const root = `/apis/${hangingGroup}/v1`;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'];
const resources = [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs }];

export async function startHangingServer(): Promise<HangingServer> {
  const { certificate, key } = await issueServing(await createCA('hanging'), 'localhost', ['localhost']);
  const state = { hangs: 'nothing' as Hangs };
  const server = createSecureServer({ cert: certificate, key, allowHTTP1: true }, (request, response) => {
    if (state.hangs === 'everything' || (state.hangs === 'HTTP/2' && request.httpVersionMajor === 2)) return;
    respond(request, response);
  });
  return Object.assign(state, await listening(server));
}

function respond(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const path = request.url.split('?')[0] ?? '';
  const body =
    path === root
      ? { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${hangingGroup}/v1`, resources }
      : contentOf(path, request);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }),
  );
}

/** An empty list of things, or of their metadata. A deletion of all of them returns the same. */
function contentOf(path: string, { headers }: Http2ServerRequest): object | undefined {
  if (!path.startsWith(`${root}/`) || !path.endsWith('/things')) return undefined;
  const isMetadata = headers.accept?.includes('as=PartialObjectMetadataList') === true;
  const type = isMetadata
    ? { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' }
    : { kind: 'ThingList', apiVersion: `${hangingGroup}/v1` };
  return { ...type, metadata: { resourceVersion: '1' }, items: [] };
}

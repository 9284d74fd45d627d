import { createHash } from 'node:crypto';
import { isJsonObject } from '@apichain/meta';
import type { ApiService } from '../apiservice/api-service.ts';
import { fetchFrom, type RemoteServer } from '../routing/remote-discovery.ts';
import { objectOf, type RemoteDocuments } from './remote-documents.ts';

/** The timeout is long, because documents are large and servers need long to generate them. */
const asAggregator = { accept: 'application/json', user: 'system:aggregator', timeoutMs: 60_000 };

/**
 * The OpenAPI documents of an extension API server for the group-version of its APIService; undefined when the server has none. Throws Error when
 * the server does not respond, or not with documents.
 */
export async function fetchDocuments(
  proxy: RemoteServer,
  { spec: { group = '', version = '' } }: ApiService,
): Promise<RemoteDocuments | undefined> {
  const path = `apis/${group}/${version}`;
  const v2 = await documentAt(proxy, '/openapi/v2');
  const v3 = await v3Document(proxy, path);
  if (v2 === undefined && v3 === undefined) return undefined;
  const hash = createHash('sha256');
  for (const document of [v2, v3]) hash.update(document ?? '').update('\0');
  return {
    path,
    revision: hash.digest('hex'),
    v2,
    v3,
  };
}

async function documentAt(proxy: RemoteServer, path: string): Promise<Buffer | undefined> {
  const { status, body } = await fetchFrom(proxy, path, asAggregator);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`bad status from ${path}: ${status}`);
  await objectOf(body);
  return body;
}

async function v3Document(proxy: RemoteServer, path: string): Promise<Buffer | undefined> {
  const index = await documentAt(proxy, '/openapi/v3');
  const listed = index === undefined ? undefined : (await objectOf(index))['paths'];
  const entry = isJsonObject(listed) ? listed[path] : undefined;
  const url = isJsonObject(entry) ? entry['serverRelativeURL'] : undefined;
  // Accepts only paths of the server itself: a response must not make this server send requests to another one.
  return typeof url === 'string' && url.startsWith('/openapi/v3/') ? documentAt(proxy, url) : undefined;
}

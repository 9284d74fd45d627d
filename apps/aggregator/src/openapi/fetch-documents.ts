import { createHash } from 'node:crypto';
import { isJsonObject } from '@apichain/apiserver';
import type { ApiService } from '../apiservice/api-service.ts';
import type { ExtensionProxy } from '../routing/extension-proxy.ts';
import { fetchFrom } from '../routing/remote-discovery.ts';
import { objectOf, type RemoteDocuments } from './remote-documents.ts';

const asAggregator = 'system:aggregator';

/**
 * The documents of an extension API server for the group-version of its APIService; undefined when it has none. Throws Error when it does
 * not answer, or not with documents.
 */
export async function fetchDocuments(
  proxy: ExtensionProxy,
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
    ...(v2 === undefined ? {} : { v2 }),
    ...(v3 === undefined ? {} : { v3 }),
  };
}

async function documentAt(proxy: ExtensionProxy, path: string): Promise<Buffer | undefined> {
  const { status, body } = await fetchFrom(proxy, path, 'application/json', asAggregator);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`bad status from ${path}: ${status}`);
  objectOf(body);
  return body;
}

async function v3Document(proxy: ExtensionProxy, path: string): Promise<Buffer | undefined> {
  const index = await documentAt(proxy, '/openapi/v3');
  const listed = index === undefined ? undefined : objectOf(index)['paths'];
  const entry = isJsonObject(listed) ? listed[path] : undefined;
  const url = isJsonObject(entry) ? entry['serverRelativeURL'] : undefined;
  // Only a path of the server itself: the answer of one server must not make this one ask another.
  return typeof url === 'string' && url.startsWith('/openapi/v3/') ? documentAt(proxy, url) : undefined;
}

import { get } from 'node:https';
import type { ApiGroupDiscovery, ApiResourceList, ApiVersionDiscovery } from '@apichain/apiserver';
import { connectionReason } from '@apichain/admission';
import { toDiscovery } from '@apichain/apiserver';
import { goQuote, parseJson } from '@apichain/meta';
import type { ApiService } from '../apiservice/api-service.ts';
import { formatHost, type ExtensionProxy } from './extension-proxy.ts';

const timeoutMs = 5_000;
const maxBytes = 16 * 1024 * 1024;
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What one extension server says it serves for the group-version of its APIService. Throws Error when it does not answer well. */
export async function fetchDiscovery(proxy: ExtensionProxy, apiService: ApiService): Promise<ApiVersionDiscovery> {
  const group = apiService.spec.group ?? '';
  const version = apiService.spec.version ?? '';
  const answer = await fetchFrom(proxy, '/apis', `${aggregatedType},application/json;q=0.9`);
  if (answer.status === 200 && answer.contentType.includes('as=APIGroupDiscoveryList')) {
    const { items } = parseJson(answer.body) as { items: ApiGroupDiscovery[] };
    const found = items
      .find((item) => item.metadata.name === group)
      ?.versions.find((candidate) => candidate.version === version);
    if (found !== undefined) return { ...found, freshness: 'Current' };
  }
  const path = discoveryPath(apiService);
  const legacy = await fetchFrom(proxy, path, 'application/json');
  if (legacy.status !== 200) throw new Error(`bad status from ${path}: ${legacy.status}`);
  const { resources } = parseJson(legacy.body) as ApiResourceList;
  // Within a list, a resource without group and version has the list's.
  const qualified = resources.map((resource) => ({ group, version, ...resource }));
  return { version, resources: toDiscovery(qualified), freshness: 'Current' };
}

/** Succeeds when the extension server answers its discovery path with 2xx; the message of what it throws is for the condition. */
export async function probeDiscovery(proxy: ExtensionProxy, apiService: ApiService): Promise<void> {
  const url = `https://${formatHost(proxy.location())}${discoveryPath(apiService)}`;
  let status: number;
  try {
    status = (await fetchFrom(proxy, discoveryPath(apiService), 'application/json')).status;
  } catch (error) {
    const reason = `Get ${goQuote(url)}: ${connectionReason(error)}`;
    throw new Error(`failing or missing response from ${url}: ${reason}`, { cause: error });
  }
  if (status < 200 || status > 299)
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
}

function discoveryPath(apiService: ApiService): string {
  const { group = '', version = '' } = apiService.spec;
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** A GET as the aggregator itself, by the name that it has for the purpose; the body is bounded. */
export function fetchFrom(
  proxy: ExtensionProxy,
  path: string,
  accept: string,
  user = 'system:kube-aggregator',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { host, port } = proxy.location();
    const request = get(
      {
        host,
        port,
        path,
        agent: proxy.agent,
        headers: { 'X-Remote-User': user, 'X-Remote-Group': 'system:masters', Accept: accept },
        timeout: timeoutMs,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let length = 0;
        answer.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > maxBytes) request.destroy(new Error(`more than ${maxBytes} bytes from ${path}`));
          else chunks.push(chunk);
        });
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            contentType: answer.headers['content-type'] ?? '',
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.on('timeout', () =>
      request.destroy(new Error('context deadline exceeded (Client.Timeout exceeded while awaiting headers)')),
    );
    request.on('error', reject);
  });
}

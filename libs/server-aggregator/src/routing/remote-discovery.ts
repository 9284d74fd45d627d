import type { IncomingHttpHeaders } from 'node:http';
import { get } from 'node:https';
import type { ApiGroupDiscovery, ApiResourceList, ApiVersionDiscovery } from '@apichain/apiserver';
import { connectionReason } from '@apichain/admission';
import { toDiscovery } from '@apichain/apiserver';
import { joinHostPort, goQuote } from '@apichain/go-text';
import { parseJson } from '@apichain/meta';
import type { ApiService } from '../apiservice/api-service.ts';
import type { ExtensionProxy } from './extension-proxy.ts';

const timeoutMs = 5_000;
const maxBytes = 16 * 1024 * 1024;
const aggregatorUser = 'system:kube-aggregator';
const masters = 'system:masters';
/** Servers of Kubernetes 1.26 to 1.29 know the second only; what aggregators read of it is the same. */
const aggregatedVersions = ['v2', 'v2beta1'];
const aggregatedType = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a question needs of the way to an extension server. */
export type RemoteServer = Pick<ExtensionProxy, 'location' | 'agent'>;

interface Question {
  readonly accept: string;
  /** As whom the aggregator asks. */
  readonly user: string;
  readonly group?: string;
  /** Asks for what is not this. */
  readonly etag?: string;
  readonly timeoutMs?: number;
}

/** What a server said at `/apis`, as long as it says that nothing has changed since. */
interface Remembered {
  readonly etag: string;
  readonly groups: readonly ApiGroupDiscovery[];
}

const remembered = new WeakMap<RemoteServer, Remembered>();

/**
 * What one extension server says it serves for the group-version of its APIService: nothing, when its document has no such group-version.
 * Throws Error when it does not answer well. After handler_discovery.go of kube-aggregator.
 */
export async function fetchDiscovery(proxy: RemoteServer, apiService: ApiService): Promise<ApiVersionDiscovery> {
  const { group = '', version = '', service } = apiService.spec;
  const groups = await aggregatedGroups(proxy, service);
  if (groups !== undefined) {
    const found = groups
      .find(({ metadata }) => metadata.name === group)
      ?.versions.find((candidate) => candidate.version === version);
    return { ...(found ?? { version }), freshness: 'Current' };
  }
  const path = discoveryPath(apiService);
  // Only who asks for the whole document has the rights of a master.
  const legacy = await fetchFrom(proxy, path, { accept: 'application/json', user: aggregatorUser });
  if (legacy.status !== 200) throw new Error(`failed to download legacy discovery for ${path}: code ${legacy.status}`);
  const { resources } = parseJson(legacy.body) as ApiResourceList;
  // Within a list, a resource without group and version has the list's.
  const qualified = resources.map((resource) => ({ group, version, ...resource }));
  return { version, resources: toDiscovery(qualified), freshness: 'Current' };
}

/** Undefined when the server has no such document. */
async function aggregatedGroups(
  proxy: RemoteServer,
  service: ApiService['spec']['service'],
): Promise<readonly ApiGroupDiscovery[] | undefined> {
  const known = remembered.get(proxy);
  const accept = aggregatedVersions.map(aggregatedType).join(',');
  const { status, headers, body } = await fetchFrom(proxy, '/apis', {
    accept,
    user: aggregatorUser,
    group: masters,
    ...(known === undefined ? {} : { etag: known.etag }),
  });
  if (status === 304 && known !== undefined) return known.groups;
  if (status === 503) {
    const { namespace = '', name = '', port = 443 } = service ?? {};
    throw new Error(`service ${namespace}/${name}:${port} returned non-success response code: 503`);
  }
  if (status !== 200 || headers['content-type']?.includes('as=APIGroupDiscoveryList') !== true) return undefined;
  const { items = [] } = parseJson(body) as { items?: ApiGroupDiscovery[] };
  if (headers.etag === undefined) remembered.delete(proxy);
  else remembered.set(proxy, { etag: headers.etag, groups: items });
  return items;
}

/** Succeeds when the extension server answers its discovery path with 2xx; the message of what it throws is for the condition. */
export async function probeDiscovery(proxy: RemoteServer, apiService: ApiService): Promise<void> {
  const { host, port } = proxy.location();
  const url = `https://${joinHostPort(host, port)}${discoveryPath(apiService)}`;
  let status: number;
  try {
    const question = { accept: 'application/json', user: aggregatorUser, group: masters };
    status = (await fetchFrom(proxy, discoveryPath(apiService), question)).status;
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
  proxy: RemoteServer,
  path: string,
  { accept, user, group, etag, timeoutMs: timeout = timeoutMs }: Question,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { host, port } = proxy.location();
    const request = get(
      {
        host,
        port,
        path,
        agent: proxy.agent,
        headers: {
          'X-Remote-User': user,
          ...(group === undefined ? {} : { 'X-Remote-Group': group }),
          ...(etag === undefined ? {} : { 'If-None-Match': etag }),
          Accept: accept,
        },
        timeout,
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
            headers: answer.headers,
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

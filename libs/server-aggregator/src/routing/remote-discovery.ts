import type { IncomingHttpHeaders } from 'node:http';
import { get } from 'node:https';
import type { ApiGroupDiscovery, ApiResourceList, ApiVersionDiscovery } from '@apichain/apiserver';
import { toDiscovery } from '@apichain/apiserver';
import { joinHostPort, goQuote } from '@apichain/go-text';
import { parseJson } from '@apichain/meta';
import type { ApiService } from '../apiservice/api-service.ts';
import { extensionReason } from './extension-reason.ts';
import type { ExtensionProxy } from './extension-proxy.ts';
import type { ServiceLocation } from './service-resolver.ts';

const timeoutMs = 5_000;
const maxBytes = 16 * 1024 * 1024;
const aggregatorUser = 'system:kube-aggregator';
const masters = 'system:masters';
/** Servers of Kubernetes 1.26 to 1.29 support only the second one. The parts that aggregators read are the same. */
const aggregatedVersions = ['v2', 'v2beta1'];
const aggregatedType = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a discovery request needs of the proxy to an extension server. */
export type RemoteServer = Pick<ExtensionProxy, 'location' | 'agent' | 'discovery'>;

interface FetchOptions {
  /** Undefined = the request has no Accept header. */
  readonly accept?: string;
  /** The user in whose name the aggregator sends the request. */
  readonly user: string;
  readonly group?: string;
  /** The ETag of the known document (If-None-Match). */
  readonly etag?: string;
  /** The default is where the proxy sends requests. */
  readonly location?: ServiceLocation;
  /** Milliseconds until the end of the response. */
  readonly timeoutMs?: number;
}

/**
 * The discovery of an extension server for the group-version of its APIService. Empty when its document does not have the group-version. Throws
 * Error when the server does not respond as expected. After handler_discovery.go of kube-aggregator.
 */
export async function fetchDiscovery(proxy: RemoteServer, apiService: ApiService): Promise<ApiVersionDiscovery> {
  const { group = '', version = '', service } = apiService.spec;
  const groups = await aggregatedGroups(proxy, service);
  if (groups !== undefined) {
    const found = groups
      .find(({ metadata }) => metadata.name === group)
      ?.versions.find((candidate) => candidate.version === version);
    return found === undefined ? { version, freshness: 'Current' } : withResponseKinds(found);
  }
  const path = discoveryPath(apiService);
  // Unlike requests for the aggregated document, this one is sent without the group system:masters.
  const legacy = await fetchFrom(proxy, path, { accept: 'application/json', user: aggregatorUser });
  if (legacy.status !== 200) throw new Error(`failed to download legacy discovery for ${path}: code ${legacy.status}`);
  const { resources = [] } = parseJson(legacy.body) as Partial<ApiResourceList>;
  const isList = (value: unknown): boolean => Array.isArray(value);
  if (!isList(resources)) throw new Error(`legacy discovery for ${path} has no list of resources`);
  // A resource without group and version has those of its list.
  const qualified = resources.map((resource) => ({ group, version, ...resource }));
  return { version, resources: toDiscovery(qualified), freshness: 'Current' };
}

/** Gives resources without a kind an empty one: older clients of Kubernetes read the kind of every resource. After handler_discovery.go. */
function withResponseKinds(version: ApiVersionDiscovery): ApiVersionDiscovery {
  const resources = version.resources?.map((resource) => withResponseKind(resource, resource.subresources));
  return { ...version, ...(resources === undefined ? {} : { resources }), freshness: 'Current' };
}

const noKind = { group: '', version: '', kind: '' };

function withResponseKind<T extends object>(resource: T, subresources: readonly object[] | undefined): T {
  const completed = { responseKind: noKind, ...resource };
  return subresources === undefined
    ? completed
    : { ...completed, subresources: subresources.map((subresource) => ({ responseKind: noKind, ...subresource })) };
}

/** Undefined when the server does not serve aggregated discovery. */
async function aggregatedGroups(
  proxy: RemoteServer,
  service: ApiService['spec']['service'],
): Promise<readonly ApiGroupDiscovery[] | undefined> {
  const known = proxy.discovery;
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
  proxy.discovery = headers.etag === undefined ? undefined : { etag: headers.etag, groups: items };
  return items;
}

/** How often the probe resolves the Service. With --enable-aggregator-routing each time gives one of the endpoints at random. */
const probeAttempts = 5;

/**
 * Resolves when the extension server, at one of up to five of its addresses, responds to its discovery path with 2xx. The message of the thrown
 * Error is used in the condition.
 */
export async function probeDiscovery(proxy: RemoteServer, apiService: ApiService): Promise<void> {
  const locations = new Map<string, ServiceLocation>();
  for (let attempt = 0; attempt < probeAttempts; attempt += 1) {
    const location = proxy.location();
    locations.set(joinHostPort(location.host, location.port), location);
  }
  const probes = [...locations.values()].map((location) => probe(proxy, apiService, location));
  await Promise.any(probes).catch(async (error: unknown) => {
    // Every probe has failed: the last one says why.
    await probes.at(-1);
    throw error;
  });
}

async function probe(proxy: RemoteServer, apiService: ApiService, location: ServiceLocation): Promise<void> {
  const url = `https://${joinHostPort(location.host, location.port)}${discoveryPath(apiService)}`;
  let status: number;
  try {
    // Whatever the server prefers to respond with is accepted, as in available_controller.go.
    const options = { user: aggregatorUser, group: masters, location };
    status = (await fetchFrom(proxy, discoveryPath(apiService), options)).status;
  } catch (error) {
    const reason = `Get ${goQuote(url)}: ${extensionReason(error)}`;
    throw new Error(`failing or missing response from ${url}: ${reason}`, { cause: error });
  }
  if (status < 200 || status > 299)
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
}

function discoveryPath(apiService: ApiService): string {
  const { group = '', version = '' } = apiService.spec;
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Sends a GET as the aggregator itself, with the given user and group. The size of the body and the time until its end are limited. */
export function fetchFrom(
  proxy: RemoteServer,
  path: string,
  { accept, user, group, etag, location, timeoutMs: timeout = timeoutMs }: FetchOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { host, port } = location ?? proxy.location();
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
          ...(accept === undefined ? {} : { Accept: accept }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > maxBytes) request.destroy(new Error(`more than ${maxBytes} bytes from ${path}`));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    let isConnected = false;
    request.on('socket', (socket) => {
      if (request.reusedSocket) isConnected = true;
      else socket.once('secureConnect', () => (isConnected = true));
    });
    // A deadline for the whole response: a server that sends a byte now and then does not delay it.
    const timer = setTimeout(() => request.destroy(new Error(deadlineExceeded(isConnected))), timeout);
    request.on('close', () => clearTimeout(timer));
    request.on('error', reject);
  });
}

/** The texts of Go's client, which differ with what it waits for. */
const deadlineExceeded = (isConnected: boolean): string =>
  `context deadline exceeded${isConnected ? ' (Client.Timeout exceeded while awaiting headers)' : ''}`;

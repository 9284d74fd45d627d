import { readStored } from '@apichain/storage';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { posix } from 'node:path';
import { proxyRequest, type Backend } from '@apichain/delegation';
import { type RequestContext } from '@apichain/request';
import { escapePath } from '@apichain/go-text';
import { checkHost } from './addresses.ts';
import { nodeNamed, parseTarget, podLocation, portOf, serviceLocation, type Location } from './locations.ts';
import { ConnectStorage } from './connect-storage.ts';

const plainAgent = new http.Agent({ keepAlive: true });
/** The certificates of servers in pods are not verified, because their CA is unknown. */
const secureAgent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

/**
 * pods/proxy, services/proxy and nodes/proxy: proxies any request to the server at that location.
 * https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
 */
export class ObjectProxy extends ConnectStorage {
  async connect(
    ctx: RequestContext,
    id: string,
    _subpath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    proxyRequest(request, response, await this.#backend(ctx, id, pathBelow(ctx)));
  }

  async #backend(ctx: RequestContext, id: string, path: string): Promise<Backend> {
    const { plural } = this.info;
    if (plural === 'nodes') return this.#nodeBackend(ctx, id, path);
    if (plural === 'services') {
      const { services, endpoints, pods } = this.parts;
      const stores = { services: services(), endpoints: endpoints(), pods: pods() };
      return backendAt(await serviceLocation(stores, ctx, id), path);
    }
    const target = parseTarget(id, 'pod');
    const pod = await readStored(await this.parts.pods().get(ctx, target.name, { resourceVersion: '' }));
    return backendAt(podLocation(pod, target), path);
  }

  /** The kubelet, unless the target names another port of the node. */
  async #nodeBackend(ctx: RequestContext, id: string, path: string): Promise<Backend> {
    const { kubelets, nodes } = this.parts;
    const target = parseTarget(id, 'node');
    const address = kubelets.addressOf(await nodeNamed(nodes(), ctx, target.name));
    await checkHost(address.host);
    if (target.port === '' || target.port === String(address.port)) return kubelets.backend(address, path);
    return backendAt({ secure: target.scheme === 'https', host: address.host, port: portOf(target) }, path);
  }
}

function backendAt({ secure, host, port }: Location, path: string): Backend {
  const place = { host, port, path };
  return secure
    ? { protocol: 'https:', agent: secureAgent, ...place }
    : { protocol: 'http:', agent: plainAgent, ...place };
}

/** The cleaned path after `proxy`, with its trailing slash; empty when there is none. */
function pathBelow({ requestInfo: { parts, path } }: RequestContext): string {
  const below = `${parts.slice(3).join('/')}${path.endsWith('/') ? '/' : ''}`;
  return below === '' ? '' : escapePath(posix.join('/', below));
}

import { BlockList, isIP } from 'node:net';
import type { RegistryStore, RequestContext } from '@apichain/apiserver';
import { newBadRequest, newServiceUnavailable, newUnknownError, type KubeObject } from '@apichain/meta';
import { at, integer, list, records, text, texts } from './fields.ts';

/** What a connection through the API leads to: `web`, `web:80`, `https:web:443`. */
export interface Target {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** Reads the name in the path of a connection to a `pod`, `service` or `node`. Throws BadRequest. */
export function parseTarget(id: string, what: string): Target {
  const parts = id.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw newBadRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  }
  return { scheme, name, port };
}

const own = new BlockList();
own.addAddress('0.0.0.0', 'ipv4');
own.addSubnet('127.0.0.0', 8, 'ipv4');
own.addSubnet('169.254.0.0', 16, 'ipv4');
own.addSubnet('224.0.0.0', 4, 'ipv4');
own.addAddress('255.255.255.255', 'ipv4');
own.addAddress('::', 'ipv6');
own.addAddress('::1', 'ipv6');
own.addSubnet('fe80::', 10, 'ipv6');
own.addSubnet('ff00::', 8, 'ipv6');

/** The API server leads nobody to addresses of its own host or link. Throws BadRequest, for no address at all too. */
export function checkPodAddress(pod: KubeObject): void {
  const address = text(records(at(pod.status, 'podIPs'))[0]?.ip) || text(at(pod.status, 'podIP'));
  const family = isIP(address);
  if (family === 0 || own.check(address, family === 6 ? 'ipv6' : 'ipv4')) throw newBadRequest('address not allowed');
}

/** A node that its kubelet could be reached at. Throws NotFound, and an error without a reason for one without addresses. */
export async function checkNode(nodes: RegistryStore, ctx: RequestContext, name: string): Promise<void> {
  const node = (await nodes.get(ctx, name, { resourceVersion: '' })).parse();
  if (list(at(node.status, 'addresses')).length > 0) return;
  throw newUnknownError('no preferred addresses found; known addresses: []');
}

/** The name of the port that a target names by number or by name. Throws NotFound, ServiceUnavailable. */
async function portName(services: RegistryStore, ctx: RequestContext, { name, port }: Target): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const service = (await services.get(ctx, name, { resourceVersion: '' })).parse();
  const found = records(at(service.spec, 'ports')).find((candidate) => integer(candidate.port) === Number(port));
  if (found !== undefined) return text(found.name);
  throw newServiceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
}

const isReady = (endpoint: Record<string, unknown>): boolean => at(endpoint, 'conditions', 'ready') !== false;

/** A service with an endpoint at the port that is asked for. Throws NotFound, ServiceUnavailable. */
export async function checkServiceEndpoints(
  services: RegistryStore,
  slices: RegistryStore,
  ctx: RequestContext,
  target: Target,
): Promise<void> {
  const port = await portName(services, ctx, target);
  const { layout, storage } = slices;
  const all = await storage.list(`${layout.prefix}/${ctx.requestInfo.namespace}/`, {
    resourceVersion: '',
    limit: 0,
    continue: '',
    predicate: { matches: () => true, everything: true, exactFields: {} },
  });
  const reachable = all.items
    .map((item) => item.parse())
    .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === target.name)
    .filter((slice) => records(slice.ports).some((candidate) => text(candidate.name) === port))
    .some((slice) => records(slice.endpoints).some((end) => isReady(end) && texts(end.addresses).length > 0));
  if (!reachable) throw newServiceUnavailable(`no endpoints available for service ${JSON.stringify(target.name)}`);
}

import { BlockList, isIP } from 'node:net';
import type { RegistryStore, RequestContext } from '@apichain/apiserver';
import {
  isStatusError,
  newBadRequest,
  newNotFound,
  newServiceUnavailable,
  newUnknownError,
  type KubeObject,
} from '@apichain/meta';
import { at, integer, list, record, records, text } from './fields.ts';

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

/** Throws NotFound for a node that is not there, in the name of the resource that the request is about, as kube-apiserver does. */
async function nodeNamed(nodes: RegistryStore, ctx: RequestContext, name: string): Promise<KubeObject> {
  try {
    return (await nodes.get(ctx, name, { resourceVersion: '' })).parse();
  } catch (error) {
    const { apiGroup: group, resource } = ctx.requestInfo;
    throw isStatusError(error, 'NotFound') ? newNotFound({ group, resource }, name) : error;
  }
}

/** A node that its kubelet could be reached at. Throws NotFound, and an error without a reason for one without addresses. */
export async function checkNode(nodes: RegistryStore, ctx: RequestContext, name: string): Promise<void> {
  const node = await nodeNamed(nodes, ctx, name);
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

/** Whether an address of endpoints is that of the pod it names, so that nobody reaches anything else by it. */
async function isPodAddress(
  pods: RegistryStore,
  ctx: RequestContext,
  address: Record<string, unknown>,
): Promise<boolean> {
  const { name, namespace } = record(address.targetRef);
  if (namespace !== ctx.requestInfo.namespace) return false;
  try {
    const pod = (await pods.get(ctx, text(name), { resourceVersion: '' })).parse();
    return records(at(pod.status, 'podIPs')).some(({ ip }) => ip === address.ip);
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return false;
    throw error;
  }
}

export interface ServiceStores {
  readonly services: RegistryStore;
  readonly endpoints: RegistryStore;
  readonly pods: RegistryStore;
}

/**
 * A service whose Endpoints, which go by its name, have a pod at the port that is asked for. Throws NotFound, ServiceUnavailable.
 * Source: ResourceLocation of k8s.io/kubernetes/pkg/registry/core/service/storage.
 */
export async function checkServiceEndpoints(
  { services, endpoints, pods }: ServiceStores,
  ctx: RequestContext,
  id: string,
): Promise<void> {
  const target = parseTarget(id, 'service');
  const port = await portName(services, ctx, target);
  const subsets = records((await serviceEndpoints(endpoints, ctx, target.name)).subsets);
  if (subsets.length === 0) throw noEndpoints(target.name);
  for (const subset of subsets) {
    if (!records(subset.ports).some((candidate) => text(candidate.name) === port)) continue;
    for (const address of records(subset.addresses)) if (await isPodAddress(pods, ctx, address)) return;
  }
  throw noEndpoints(id);
}

/** What is missing is called by the resource that the request names. */
async function serviceEndpoints(endpoints: RegistryStore, ctx: RequestContext, name: string): Promise<KubeObject> {
  try {
    return (await endpoints.get(ctx, name, { resourceVersion: '' })).parse();
  } catch (error) {
    if (isStatusError(error, 'NotFound')) throw newNotFound({ group: '', resource: 'services' }, name);
    throw error;
  }
}

const noEndpoints = (name: string) =>
  newServiceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);

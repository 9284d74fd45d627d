import { readStored } from '@apichain/storage';
import type { RequestContext } from '@apichain/request';
import { isStatusError, newBadRequest, newNotFound, newServiceUnavailable } from '@apichain/meta';
import type { EndpointAddress, Endpoints, Node, Pod } from '@apichain/api/core/v1';
import type { KindStore } from '../kind-store.ts';
import { checkAddress } from './addresses.ts';

/** The target of a connection as written in the path: `web`, `web:80`, `https:web:443`. */
export interface Target {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** The address and port of a connection, and whether it uses TLS. */
export interface Location {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
}

/** Parses the name in the path of a connection to a `pod`, `service` or `node`. Throws BadRequest. */
export function parseTarget(id: string, what: string): Target {
  const parts = id.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw newBadRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  }
  return { scheme, name, port };
}

/** The port of a target as a number. Throws BadRequest when it is not a number, ServiceUnavailable when it is not a valid port. */
export function portOf({ scheme, port }: Target): number {
  if (port === '') return scheme === 'https' ? 443 : 80;
  if (!/^\d+$/.test(port)) throw newBadRequest(`invalid port ${JSON.stringify(port)}`);
  if (Number(port) <= highestPort) return Number(port);
  throw newServiceUnavailable(`error trying to reach service: dial tcp: address ${port}: invalid port`);
}

const highestPort = 65_535;

/**
 * The first address of a pod, at the requested port or else the first port that a container names. Throws BadRequest when that is not a valid
 * location. Source: ResourceLocation of k8s.io/kubernetes/pkg/registry/core/pod.
 */
export function podLocation(pod: Pod, target: Target): Location {
  const address = pod.status?.podIPs?.[0]?.ip || (pod.status?.podIP ?? '');
  checkAddress(address);
  const named = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? [])[0];
  const port = target.port === '' && named !== undefined ? String(named.containerPort ?? 0) : target.port;
  return { secure: target.scheme === 'https', host: address, port: portOf({ ...target, port }) };
}

/** Reads a node. Throws NotFound with the resource of the request, as kube-apiserver does. */
export async function nodeNamed(nodes: KindStore<'nodes'>, ctx: RequestContext, name: string): Promise<Node> {
  try {
    return await readStored(await nodes.get(ctx, name, { resourceVersion: '' }));
  } catch (error) {
    const { apiGroup: group, resource } = ctx.requestInfo;
    throw isStatusError(error, 'NotFound') ? newNotFound({ group, resource }, name) : error;
  }
}

/** The name of the port that a target gives by number or by name. Throws NotFound, ServiceUnavailable. */
async function portName(services: KindStore<'services'>, ctx: RequestContext, { name, port }: Target): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const service = await readStored(await services.get(ctx, name, { resourceVersion: '' }));
  const found = (service.spec?.ports ?? []).find((candidate) => (candidate.port ?? 0) === Number(port));
  if (found !== undefined) return found.name ?? '';
  throw newServiceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
}

/** Whether an endpoint address belongs to the pod that it references, so that clients cannot reach other addresses through Endpoints. */
async function isPodAddress(pods: KindStore<'pods'>, ctx: RequestContext, address: EndpointAddress): Promise<boolean> {
  const { name, namespace } = address.targetRef ?? {};
  if (namespace !== ctx.requestInfo.namespace) return false;
  try {
    const pod = await readStored(await pods.get(ctx, name ?? '', { resourceVersion: '' }));
    return (pod.status?.podIPs ?? []).some(({ ip }) => ip === address.ip);
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return false;
    throw error;
  }
}

interface ServiceStores {
  readonly services: KindStore<'services'>;
  readonly endpoints: KindStore<'endpoints'>;
  readonly pods: KindStore<'pods'>;
}

/**
 * A random pod among the Endpoints of a service that has the requested port. The Endpoints have the name of the service. Throws NotFound,
 * ServiceUnavailable. Source: ResourceLocation of k8s.io/kubernetes/pkg/registry/core/service/storage.
 */
export async function serviceLocation(
  { services, endpoints, pods }: ServiceStores,
  ctx: RequestContext,
  id: string,
): Promise<Location> {
  const target = parseTarget(id, 'service');
  const wanted = await portName(services, ctx, target);
  const subsets = (await serviceEndpoints(endpoints, ctx, target.name)).subsets ?? [];
  if (subsets.length === 0) throw noEndpoints(target.name);
  for (const subset of fromAnywhere(subsets)) {
    const port = (subset.ports ?? []).find((candidate) => (candidate.name ?? '') === wanted);
    if (port === undefined) continue;
    for (const address of fromAnywhere(subset.addresses ?? [])) {
      if (!(await isPodAddress(pods, ctx, address))) continue;
      return { secure: target.scheme === 'https', host: address.ip ?? '', port: port.port ?? 0 };
    }
  }
  throw noEndpoints(id);
}

/** The items in order, starting at a random one and wrapping around. */
function fromAnywhere<T>(items: readonly T[]): readonly T[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Reads Endpoints. NotFound names the service, because that is the resource of the request. */
async function serviceEndpoints(
  endpoints: KindStore<'endpoints'>,
  ctx: RequestContext,
  name: string,
): Promise<Endpoints> {
  try {
    return await readStored(await endpoints.get(ctx, name, { resourceVersion: '' }));
  } catch (error) {
    if (isStatusError(error, 'NotFound')) throw newNotFound({ group: '', resource: 'services' }, name);
    throw error;
  }
}

const noEndpoints = (name: string) =>
  newServiceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);

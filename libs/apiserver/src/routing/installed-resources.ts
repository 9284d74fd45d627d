import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GroupVersion } from '@apichain/meta';
import { findScope, noteDeprecation, writeError, type ProtobufCodec, type RequestContext } from '@apichain/request';
import { endpointOf, type Endpoint, type Methods } from '../endpoints/endpoint.ts';
import type { EndpointServices } from '../endpoints/scope.ts';
import type { ResourceStorage } from '../registry/rest.ts';

/** Shared by the routers of built-in groups and custom resources: the endpoints of a group-version, and how errors and warnings are sent. */

/** One resource of a group-version with the endpoints of its subresources. */
export interface InstalledResource {
  readonly namespaced: boolean;
  /** Undefined when only subresources are served. */
  readonly main: Endpoint | undefined;
  readonly subresources: ReadonlyMap<string, Endpoint>;
}

/** The endpoint and arguments that a request is routed to. */
export interface Route {
  readonly endpoint: Endpoint;
  /** The endpoint's handlers for this path (collection, single object or watch), by HTTP method. */
  readonly methods: Methods;
  /** The HTTP method of the request; `methods` may lack it. */
  readonly method: string;
  /** Empty for a collection. */
  readonly name: string;
  /** Empty for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string;
  /** The rest of the path after a connect subresource such as `pods/proxy`; empty otherwise. */
  readonly subpath: string;
  /** Whether the request addresses a collection or is a watch. */
  readonly lists: boolean;
}

/** The path supports no HTTP method. */
export const noMethods: Methods = new Map();

/** The resources of a group-version by plural name, with the endpoints of their storages. */
export function installResources(
  groupVersion: GroupVersion,
  storages: readonly ResourceStorage[],
  services: EndpointServices,
): ReadonlyMap<string, InstalledResource> {
  const byPlural = new Map<
    string,
    { namespaced: boolean; main: Endpoint | undefined; subresources: Map<string, Endpoint> }
  >();
  for (const storage of storages) {
    const endpoint = endpointOf(storage, groupVersion, services);
    const plural = endpoint.scope.resource.resource;
    let resource = byPlural.get(plural);
    if (resource === undefined) {
      resource = { namespaced: storage.info.namespaced, main: undefined, subresources: new Map() };
      byPlural.set(plural, resource);
    }
    if (endpoint.scope.subresource === '') {
      resource.main = endpoint;
      resource.namespaced = storage.info.namespaced;
    } else resource.subresources.set(endpoint.scope.subresource, endpoint);
  }
  return byPlural;
}

/** The endpoint of a resource (`subresource` empty) or of one of its subresources. */
export const endpointIn = (resource: InstalledResource, subresource: string): Endpoint | undefined =>
  subresource === '' ? resource.main : resource.subresources.get(subresource);

/** Adds the `Warning` header of a deprecated version, and records the use for metrics and audit. */
export function warnOfDeprecation({ warning }: Endpoint, ctx: RequestContext, request: IncomingMessage): void {
  if (warning === undefined) return;
  ctx.warn(warning);
  const scope = findScope(request);
  if (scope !== undefined) scope.deprecation = warning;
  if (ctx.audit !== undefined) noteDeprecation(ctx.audit, warning);
}

/** Lets the errors of an endpoint be CBOR. Those of the routers before it are not: clients that cannot read it get a form that they can. */
export function allowCborErrors(request: IncomingMessage): void {
  const scope = findScope(request);
  if (scope !== undefined) scope.cborErrors = true;
}

/** Responds to a failed request with a Status. Rethrows `error` if a part of the response was sent; a filter then logs it and ends the connection. */
export async function respondWithError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  protobuf: ProtobufCodec | undefined,
): Promise<void> {
  if (response.headersSent && !response.destroyed && !response.writableEnded) throw error;
  await writeError(request, response, error, protobuf);
}

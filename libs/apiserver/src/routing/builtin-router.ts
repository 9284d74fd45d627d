import type { IncomingMessage, ServerResponse } from 'node:http';
import { newBadRequest, newGenericNotFound, type GroupVersion } from '@apichain/meta';
import { newMethodNotAllowed, type RequestContext } from '@apichain/request';
import type { GroupVersionHandler } from '../api-group.ts';
import type { EndpointServices } from '../endpoints/scope.ts';
import type { ResourceStorage } from '../registry/rest.ts';
import {
  allowCborErrors,
  respondWithError,
  endpointIn,
  installResources,
  warnOfDeprecation,
  type InstalledResource,
  type Route,
} from './installed-resources.ts';
import { methodsAt, parseResourcePath } from './resource-path.ts';
import { checkRouteMediaTypes } from './route-media-types.ts';

/**
 * Routes the requests of one built-in group-version by path and HTTP method, as the routes that
 * k8s.io/apiserver/pkg/endpoints.APIInstaller registers with go-restful do. Unknown paths are answered here.
 */
export class BuiltinRouter implements GroupVersionHandler {
  readonly #resources: ReadonlyMap<string, InstalledResource>;
  readonly #storages: readonly ResourceStorage[];
  readonly #services: EndpointServices;
  /** The length of the path prefix before the resource, in characters. */
  readonly #prefixLength: number;

  constructor(groupVersion: GroupVersion, storages: readonly ResourceStorage[], services: EndpointServices) {
    const { group, version } = groupVersion;
    this.#prefixLength = group === '' ? `/api/${version}/`.length : `/apis/${group}/${version}/`.length;
    this.#storages = storages;
    this.#services = services;
    this.#resources = installResources(groupVersion, storages, services);
  }

  async handle(ctx: RequestContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const route = this.#route(ctx, request);
      const { endpoint, name, namespace, subpath } = route;
      const serve = route.methods.get(route.method);
      if (serve === undefined) throw newMethodNotAllowed();
      checkRouteMediaTypes(request, route);
      warnOfDeprecation(endpoint, ctx, request);
      allowCborErrors(request);
      if (name === '' && !route.lists) throw newBadRequest('name must be provided');
      await serve({ ctx, request, response, query: ctx.query, name, namespace }, subpath);
    } catch (error) {
      await respondWithError(request, response, error, this.#services.protobuf);
    }
  }

  /** Throws NotFound. */
  #route(ctx: RequestContext, request: IncomingMessage): Route {
    const path = parseResourcePath(ctx.requestInfo.path, this.#prefixLength, this.#resources);
    const resource = path === undefined ? undefined : this.#resources.get(path.resource);
    if (path === undefined || resource === undefined) throw newGenericNotFound();
    if (path.inNamespace && !resource.namespaced) throw newGenericNotFound();
    const endpoint = endpointIn(resource, path.subresource);
    if (endpoint === undefined || (path.subpath !== '' && !endpoint.takesSubpath)) throw newGenericNotFound();
    const methods = methodsAt(path, endpoint, resource);
    if (methods.size === 0) throw newGenericNotFound();
    return {
      endpoint,
      methods,
      method: request.method ?? '',
      // For a list or watch of a single object, RequestInfo takes the name from the field selector or the path.
      name: !path.named && request.method === 'GET' ? ctx.requestInfo.name : path.name,
      namespace: resource.namespaced ? path.namespace : '',
      subpath: path.subpath,
      lists: !path.named || path.watch,
    };
  }

  async close(): Promise<void> {
    for (const storage of this.#storages) await storage.destroy?.();
  }
}

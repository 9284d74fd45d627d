import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DelegationTarget } from '@apichain/delegation';
import { newBadRequest, newMethodNotSupported, newNotFound, type GroupVersion } from '@apichain/meta';
import { writeNotFound, type RequestContext } from '@apichain/request';
import type { GroupVersionHandler } from '../api-group.ts';
import type { EndpointServices } from '../endpoints/scope.ts';
import type { ResourceStorage } from '../registry/rest.ts';
import {
  allowCborErrors,
  respondWithError,
  endpointIn,
  installResources,
  noMethods,
  warnOfDeprecation,
  type InstalledResource,
  type Route,
} from './installed-resources.ts';

const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'create', 'deletecollection']);

const methodOfVerb: Readonly<Record<string, string | undefined>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/**
 * Routes the requests of the custom resources of one group-version. There is no route table: only RequestInfo decides,
 * and the rest of the path is ignored (crdHandler.ServeHTTP of k8s.io/apiextensions-apiserver). Requests for undefined resources go to the
 * next server.
 */
export class CustomResourceRouter implements GroupVersionHandler {
  readonly #resources: ReadonlyMap<string, InstalledResource>;
  readonly #storages: readonly ResourceStorage[];
  readonly #services: EndpointServices;
  readonly #delegate: DelegationTarget | undefined;

  constructor(
    groupVersion: GroupVersion,
    storages: readonly ResourceStorage[],
    services: EndpointServices,
    delegate: DelegationTarget | undefined,
  ) {
    this.#storages = storages;
    this.#services = services;
    this.#delegate = delegate;
    this.#resources = installResources(groupVersion, storages, services);
  }

  async handle(ctx: RequestContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const route = this.#route(ctx);
      if (route === undefined) return await this.#handleByDelegate(request, response);
      const { endpoint, name, namespace, method } = route;
      // Refused requests get the warning too, because the whole version is deprecated.
      warnOfDeprecation(endpoint, ctx, request);
      const serve = route.methods.get(method);
      if (serve === undefined) {
        const { group, resource } = endpoint.scope.resource;
        throw newMethodNotSupported({ group, resource }, ctx.requestInfo.verb);
      }
      allowCborErrors(request);
      if (name === '' && (method === 'PUT' || method === 'PATCH')) throw newBadRequest('name must be provided');
      await serve({ ctx, request, response, query: ctx.query, name, namespace }, route.subpath);
    } catch (error) {
      await respondWithError(request, response, error, this.#services.protobuf);
    }
  }

  /** Undefined when the resource is not served here. Throws NotFound for an unknown subresource. */
  #route({ requestInfo }: RequestContext): Route | undefined {
    const { resource: plural, subresource, verb, name, namespace } = requestInfo;
    const resource = this.#resources.get(plural);
    if (resource === undefined) return undefined;
    const inNamespace = namespace !== '';
    if (inNamespace && !resource.namespaced) return undefined;
    if (resource.namespaced && !inNamespace && verb !== 'list' && verb !== 'watch') return undefined;
    const endpoint = endpointIn(resource, subresource);
    if (endpoint === undefined) throw newNotFound({ group: requestInfo.apiGroup, resource: plural }, name);
    const lists = collectionVerbs.has(verb);
    const ofCollection = subresource !== '' ? noMethods : verb === 'watch' ? endpoint.watch : endpoint.collection;
    const methods = lists ? ofCollection : endpoint.named;
    return { endpoint, methods, method: methodOfVerb[verb] ?? '', name, namespace, subpath: '', lists };
  }

  async #handleByDelegate(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#delegate === undefined) writeNotFound(response);
    else await this.#delegate.handle(request, response);
  }

  async close(): Promise<void> {
    for (const storage of this.#storages) await storage.destroy?.();
  }
}

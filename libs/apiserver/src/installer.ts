import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  newBadRequest,
  newGenericNotFound,
  newMethodNotSupported,
  newNotFound,
  StatusError,
  type GroupVersion,
  type Status,
} from '@apichain/meta';
import type { GroupVersionHandler, GroupVersionInstaller } from './api-group.ts';
import type { DelegationTarget } from '@apichain/delegation';
import { noteDeprecation } from '@apichain/request';
import { endpointOf, type Endpoint, type Methods } from './endpoints/endpoint.ts';
import { patchMediaTypes } from './endpoints/patch.ts';
import type { EndpointServices } from './endpoints/scope.ts';
import { newMethodNotAllowed } from '@apichain/request';
import { acceptsAny } from '@apichain/request';
import { objectMediaTypes, streamMediaTypes } from '@apichain/request';
import { writeError } from '@apichain/request';
import type { RequestContext } from '@apichain/request';
import type { ResourceStorage } from './registry/rest.ts';
import { findScope } from '@apichain/request';
import { writeNotFound } from '@apichain/request';

/** What the endpoints of a group-version need besides its storages. */
export interface GroupVersionHandlerOptions
  extends Partial<Omit<EndpointServices, 'authorizer'>>, Pick<EndpointServices, 'authorizer'> {
  /**
   * Custom resources: their errors on unknown paths, methods and media types are worded by another router than those of
   * built-in kinds, and what they do not serve goes to `delegate`.
   */
  readonly custom?: boolean;
  readonly delegate?: DelegationTarget;
}

interface Resource {
  readonly namespaced: boolean;
  readonly main: Endpoint | undefined;
  readonly subresources: ReadonlyMap<string, Endpoint>;
}

interface Route {
  readonly endpoint: Endpoint;
  readonly methods: Methods;
  /** The one of `methods` that is asked for. */
  readonly method: string;
  readonly name: string;
  readonly namespace: string;
  readonly subpath: string;
  readonly lists: boolean;
}

function resourcesOf(
  groupVersion: GroupVersion,
  storages: readonly ResourceStorage[],
  services: EndpointServices,
): ReadonlyMap<string, Resource> {
  const byName = new Map<
    string,
    { namespaced: boolean; main: Endpoint | undefined; subresources: Map<string, Endpoint> }
  >();
  for (const storage of storages) {
    const endpoint = endpointOf(storage, groupVersion, services);
    const name = endpoint.scope.resource.resource;
    let resource = byName.get(name);
    if (resource === undefined) {
      resource = { namespaced: storage.info.namespaced, main: undefined, subresources: new Map() };
      byName.set(name, resource);
    }
    if (endpoint.scope.subresource === '') {
      resource.main = endpoint;
      resource.namespaced = storage.info.namespaced;
    } else resource.subresources.set(endpoint.scope.subresource, endpoint);
  }
  return byName;
}

interface Location {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** There is a part for the name, which may be empty. */
  readonly named: boolean;
  readonly subresource: string;
  readonly subpath: string;
  readonly watch: boolean;
  /** The path had `namespaces/<name>/` before the resource. */
  readonly inNamespace: boolean;
}

/** Reads the part of a path behind the group-version; undefined for paths that cannot be one of a resource. Names may be empty, as in routes of go-restful. */
function locate(path: string, prefixLength: number, resources: ReadonlyMap<string, Resource>): Location | undefined {
  let end = path.length;
  while (path.charCodeAt(end - 1) === 47) end--;
  let segments = path.slice(prefixLength, end).split('/');
  const watch = segments[0] === 'watch';
  if (watch) segments = segments.slice(1);
  const [first = '', second = '', third] = segments;
  const ownSubresource = third !== undefined && resources.get('namespaces')?.subresources.has(third) === true;
  if (first === 'namespaces' && third !== undefined && !(segments.length === 3 && ownSubresource)) {
    const [, , resource = '', name = '', subresource = '', ...rest] = segments;
    if (subresource === '' && rest.length > 0) return undefined;
    const named = segments.length > 3;
    return { resource, namespace: second, name, named, subresource, subpath: rest.join('/'), watch, inNamespace: true };
  }
  const [resource = '', name = '', subresource = '', ...rest] = segments;
  if (subresource === '' && rest.length > 0) return undefined;
  const namespace = resource === 'namespaces' ? name : '';
  const named = segments.length > 1;
  return { resource, namespace, name, named, subresource, subpath: rest.join('/'), watch, inNamespace: false };
}

const noMethods: Methods = new Map();

function methodsOf(endpoint: Endpoint, resource: Resource, location: Location): Methods {
  const { named, subresource, inNamespace, watch } = location;
  const across = resource.namespaced && !inNamespace;
  if (watch) return subresource === '' && !(across && named) ? endpoint.watch : noMethods;
  if (!named) return across ? endpoint.collectionOfAll : endpoint.collection;
  return across ? noMethods : endpoint.named;
}

/** Tells the caller that what is asked for will go. */
function warnOf({ warning }: Endpoint, ctx: RequestContext, request: IncomingMessage): void {
  if (warning === undefined) return;
  ctx.warn(warning);
  const scope = findScope(request);
  if (scope !== undefined) scope.deprecation = warning;
  if (ctx.audit !== undefined) noteDeprecation(ctx.audit, warning);
}

const genericFailure = (code: number, reason: string, message: string): StatusError => {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    details: {},
    code,
  };
  return new StatusError(status);
};

function producedBy({ endpoint, lists }: Route, method: string | undefined): readonly string[] {
  if (endpoint.isText) return ['text/plain', ...objectMediaTypes];
  return lists && method === 'GET' ? [...objectMediaTypes, ...streamMediaTypes] : objectMediaTypes;
}

/** The two looks at media types that the router of built-in kinds takes before an endpoint sees the request. */
function checkMediaTypes(request: IncomingMessage, route: Route): void {
  if (route.endpoint.takesSubpath) return;
  if (request.method === 'PATCH') {
    const accepted = patchMediaTypes(false);
    const given = (request.headers['content-type'] ?? '').split(',');
    // One of several is enough here; the endpoint refuses the whole of them in its own words.
    if (!given.some((type) => accepted.includes((type.split(';', 1)[0] ?? '').trim()))) {
      throw genericFailure(415, 'UnsupportedMediaType', '415: Unsupported Media Type');
    }
  }
  const produced = producedBy(route, request.method);
  if (acceptsAny(request.headers.accept, produced)) return;
  const available = produced.join(', ');
  throw genericFailure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available}`);
}

const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'create', 'deletecollection']);
const methodOf: Readonly<Record<string, string | undefined>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

class ResourceRouter implements GroupVersionHandler {
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #storages: readonly ResourceStorage[];
  readonly #prefixLength: number;
  readonly #options: GroupVersionHandlerOptions;

  constructor(groupVersion: GroupVersion, storages: readonly ResourceStorage[], options: GroupVersionHandlerOptions) {
    const { group, version } = groupVersion;
    this.#prefixLength = group === '' ? `/api/${version}/`.length : `/apis/${group}/${version}/`.length;
    this.#storages = storages;
    this.#options = options;
    this.#resources = resourcesOf(groupVersion, storages, {
      minRequestTimeout: 1800,
      kinds: { name: 'pkg/api/legacyscheme/scheme.go:30', recognizes: () => false },
      ...options,
    });
  }

  async handle(ctx: RequestContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const route = this.#options.custom === true ? this.#customRoute(ctx) : this.#route(ctx, request);
      if (route === undefined) return await this.#delegate(request, response);
      const { endpoint, name, namespace, subpath } = route;
      // Of a custom resource all is deprecated, of a built-in one what is served.
      if (this.#options.custom === true) warnOf(endpoint, ctx, request);
      const serve = route.methods.get(route.method);
      if (serve === undefined) throw this.#methodError(route, ctx);
      if (this.#options.custom !== true) {
        checkMediaTypes(request, route);
        warnOf(endpoint, ctx, request);
        if (name === '' && !route.lists) throw newBadRequest('name must be provided');
      } else if (name === '' && (route.method === 'PUT' || route.method === 'PATCH')) {
        throw newBadRequest('name must be provided');
      }
      await serve({ ctx, request, response, query: ctx.query, name, namespace }, subpath);
    } catch (error) {
      // Half of an answer is out: what broke it can only be logged, by the filter that also ends the connection.
      if (response.headersSent && !response.destroyed && !response.writableEnded) throw error;
      await writeError(request, response, error, this.#options.protobuf);
    }
  }

  /**
   * Custom resources have no routes: what RequestInfo has read decides alone, whatever else the path holds (crdHandler.ServeHTTP
   * of k8s.io/apiextensions-apiserver). Undefined = not ours at all. Throws NotFound for a subresource.
   */
  #customRoute({ requestInfo }: RequestContext): Route | undefined {
    const { resource: plural, subresource, verb, name, namespace } = requestInfo;
    const resource = this.#resources.get(plural);
    if (resource === undefined) return undefined;
    const inNamespace = namespace !== '';
    if (inNamespace && !resource.namespaced) return undefined;
    if (resource.namespaced && !inNamespace && verb !== 'list' && verb !== 'watch') return undefined;
    const endpoint = subresource === '' ? resource.main : resource.subresources.get(subresource);
    if (endpoint === undefined) throw newNotFound({ group: requestInfo.apiGroup, resource: plural }, name);
    const lists = collectionVerbs.has(verb);
    const whole = subresource !== '' ? noMethods : verb === 'watch' ? endpoint.watch : endpoint.collection;
    const methods = lists ? whole : endpoint.named;
    return { endpoint, methods, method: methodOf[verb] ?? '', name, namespace, subpath: '', lists };
  }

  /** Throws NotFound. */
  #route(ctx: RequestContext, request: IncomingMessage): Route {
    const { path } = ctx.requestInfo;
    const location = locate(path, this.#prefixLength, this.#resources);
    const resource = location === undefined ? undefined : this.#resources.get(location.resource);
    if (location === undefined || resource === undefined) throw newGenericNotFound();
    const { subresource, subpath } = location;
    if (location.inNamespace && !resource.namespaced) throw newGenericNotFound();
    const endpoint = subresource === '' ? resource.main : resource.subresources.get(subresource);
    if (endpoint === undefined || (subpath !== '' && !endpoint.takesSubpath)) {
      throw newGenericNotFound();
    }
    const methods = methodsOf(endpoint, resource, location);
    if (methods.size === 0) throw newGenericNotFound();
    // The list of a single watched object is named by its selector or path.
    const name = !location.named && request.method === 'GET' ? ctx.requestInfo.name : location.name;
    return {
      endpoint,
      methods,
      method: request.method ?? '',
      name,
      namespace: resource.namespaced ? location.namespace : '',
      subpath,
      lists: !location.named || location.watch,
    };
  }

  #methodError({ endpoint }: Route, { requestInfo }: RequestContext): StatusError {
    if (this.#options.custom !== true) return newMethodNotAllowed();
    const { group, resource } = endpoint.scope.resource;
    return newMethodNotSupported({ group, resource }, requestInfo.verb);
  }

  async #delegate(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { delegate } = this.#options;
    if (delegate === undefined) writeNotFound(response);
    else await delegate.handle(request, response);
  }

  async close(): Promise<void> {
    for (const storage of this.#storages) await storage.destroy?.();
  }
}

/**
 * Serves the paths of one group-version. Everything that can be known from the storages is worked out here, once.
 * After k8s.io/apiserver/pkg/endpoints.APIInstaller.
 */
export function createGroupVersionHandler(
  groupVersion: GroupVersion,
  storages: readonly ResourceStorage[],
  options: GroupVersionHandlerOptions,
): GroupVersionHandler {
  return new ResourceRouter(groupVersion, storages, options);
}

/** The same as the function that a server's configuration takes. */
export function groupVersionInstaller(options: GroupVersionHandlerOptions): GroupVersionInstaller {
  return (groupVersion, storages) => createGroupVersionHandler(groupVersion, storages, options);
}

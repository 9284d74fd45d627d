import type { IncomingMessage, ServerResponse } from 'node:http';
import { newGenericNotFound, newServiceUnavailable } from '@apichain/meta';
import type { GroupVersionHandler } from './api-group.ts';
import type { DelegationTarget } from '@apichain/delegation';
import type { ServerConfig } from './server-config.ts';
import { PathMux, type PathHandler } from '@apichain/request';
import type { RequestInfo } from '@apichain/request';
import { scopeOf, type RequestScope } from '@apichain/request';
import { writeNotFound, writeStatusError } from '@apichain/request';

const notInstalledYet = 'the request has been made before all known HTTP paths have been installed, please try again';
const notInstalledRetrySeconds = 5;

type CatchUp = NonNullable<ServerConfig['catchUp']>;

/**
 * Routes a path to its handler: an installed group-version, an exact path, a prefix, or else the next server of the chain.
 * Without a next server the response is 404. After the director of k8s.io/apiserver/pkg/server/handler.go.
 */
export class Director {
  readonly paths = new PathMux();
  readonly #groupVersions = new Map<string, GroupVersionHandler>();
  /** Roots whose unknown sub-paths are answered here with a Status and not passed on: `/api`, `/apis/apps`. */
  readonly #ownedRoots = new Map<string, number>();
  readonly #delegate: DelegationTarget | undefined;

  readonly #catchUp: CatchUp | undefined;

  constructor(delegate: DelegationTarget | undefined, catchUp?: CatchUp) {
    this.#delegate = delegate;
    this.#catchUp = catchUp;
  }

  /** With `owned` false, the group's other paths go to the next server. */
  addGroupVersion(group: string, version: string, handler: GroupVersionHandler, owned: boolean): void {
    this.#groupVersions.set(`${group}/${version}`, handler);
    const root = group === '' ? 'api' : group;
    if (owned) this.#ownedRoots.set(root, (this.#ownedRoots.get(root) ?? 0) + 1);
  }

  removeGroupVersion(group: string, version: string): GroupVersionHandler | undefined {
    const handler = this.#groupVersions.get(`${group}/${version}`);
    this.#groupVersions.delete(`${group}/${version}`);
    return handler;
  }

  /** Whether the request belongs to an installed group-version. */
  serves(info: RequestInfo): boolean {
    return this.#handlerOf(info) !== undefined;
  }

  #handlerOf({ isResourceRequest, path, apiPrefix, apiGroup, apiVersion }: RequestInfo) {
    // The parser ignores extra slashes, so `//api/...` can look like a resource path, and `/apis//v1` like a path of the core group.
    if (!isResourceRequest || path.startsWith('//') || (apiGroup === '') !== (apiPrefix === 'api')) return undefined;
    return this.#groupVersions.get(`${apiGroup}/${apiVersion}`);
  }

  async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const scope = scopeOf(request);
    const groupVersion = this.#handlerOf(scope.requestInfo);
    if (groupVersion !== undefined) return groupVersion.handle(scope, request, response);
    const handler = this.paths.exact(scope.path) ?? this.#ownedNotFound(scope) ?? this.paths.prefix(scope.path);
    if (handler !== undefined) return handler(scope, request, response);
    return this.passOn(request, response);
  }

  #ownedNotFound(scope: RequestScope) {
    const { path } = scope;
    let root: string | undefined;
    if (path.startsWith('/version/')) return this.#notFound;
    if (path.startsWith('/api/')) root = 'api';
    else if (path.startsWith('/apis/')) root = path.slice(6).split('/', 1)[0];
    if (root === undefined || !this.#ownedRoots.has(root)) return undefined;
    return this.#notFound;
  }

  readonly #notFound: PathHandler = (_context, request, response) =>
    writeStatusError(request, response, newGenericNotFound());

  /** Passes the request to the next server, or answers it at the end of the chain. */
  async passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#delegate !== undefined) return this.#delegate.handle(request, response);
    const scope = scopeOf(request);
    if (scope.muxIncomplete) {
      writeStatusError(request, response, newServiceUnavailable(notInstalledYet, notInstalledRetrySeconds));
      return;
    }
    const handler = await this.#handlerAfterCatchUp(scope);
    if (handler === undefined) writeNotFound(response);
    else await handler.handle(scope, request, response);
  }

  async #handlerAfterCatchUp({ requestInfo, signal }: RequestScope): Promise<GroupVersionHandler | undefined> {
    if (!requestInfo.isResourceRequest || this.#catchUp === undefined) return undefined;
    return (await this.#catchUp(signal)) ? this.#handlerOf(requestInfo) : undefined;
  }
}

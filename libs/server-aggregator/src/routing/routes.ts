import type { PathHandler, PathMux } from '@apichain/request';
import { compareVersions } from '@apichain/meta';
import { serveDocument } from '@apichain/request';
import { type ApiService, availableCondition } from '../apiservice/api-service.ts';
import {
  connectionSettings,
  ExtensionProxy,
  type ForwardingOptions,
  type ProxyClientCertificate,
} from './extension-proxy.ts';
import type { ServiceResolver } from './service-resolver.ts';

interface Remote {
  apiService: ApiService;
  readonly settings: string;
  readonly proxy: ExtensionProxy;
}

/**
 * The routes to extension servers, updated when APIServices change: `/apis/<g>/<v>` and below for each APIService with a service, and the group
 * document `/apis/<g>` for every group. Local APIServices need no route: requests that the aggregator does not serve are delegated to the next
 * server.
 */
export class Routes {
  readonly #paths: PathMux;
  readonly #resolver: ServiceResolver;
  #certificate: ProxyClientCertificate;
  readonly #remotes = new Map<string, Remote>();
  readonly #services = new Map<string, ApiService>();
  readonly #groups = new Set<string>();
  readonly #forwarding: ForwardingOptions;

  constructor(
    paths: PathMux,
    resolver: ServiceResolver,
    certificate: ProxyClientCertificate,
    forwarding: ForwardingOptions = { rejectRedirects: true },
  ) {
    this.#forwarding = forwarding;
    this.#paths = paths;
    this.#resolver = resolver;
    this.#certificate = certificate;
  }

  /** Every known APIService, by name. */
  get services(): ReadonlyMap<string, ApiService> {
    return this.#services;
  }

  proxyOf(name: string): ExtensionProxy | undefined {
    return this.#remotes.get(name)?.proxy;
  }

  set(received: ApiService): void {
    const name = received.metadata.name ?? '';
    const apiService = withKnownStatus(received, this.#remotes.get(name)?.proxy.apiService);
    this.#services.set(name, apiService);
    this.#routeGroup(apiService.spec.group ?? '');
    const settings = connectionSettings(apiService);
    const existing = this.#remotes.get(name);
    if (existing?.settings === settings) {
      existing.apiService = apiService;
      existing.proxy.refresh(apiService);
      return;
    }
    this.#dropRemote(name, apiService);
    if (apiService.spec.service !== undefined) this.#addRemote(name, apiService, settings);
  }

  remove(name: string): void {
    const apiService = this.#services.get(name);
    if (apiService === undefined) return;
    this.#services.delete(name);
    this.#dropRemote(name, apiService);
    this.#routeGroup(apiService.spec.group ?? '');
  }

  /** Replaces the client certificate of new connections. Running requests finish with the previous one. */
  reload(certificate: ProxyClientCertificate): void {
    this.#certificate = certificate;
    for (const [name, { apiService, settings, proxy }] of [...this.#remotes]) {
      this.#addRemote(name, apiService, settings);
      proxy.retire();
    }
  }

  close(): void {
    for (const { proxy } of this.#remotes.values()) proxy.close();
  }

  #addRemote(name: string, apiService: ApiService, settings: string): void {
    const proxy = new ExtensionProxy(apiService, this.#resolver, this.#certificate, this.#forwarding);
    this.#remotes.set(name, { apiService, settings, proxy });
    const handler: PathHandler = (_context, request, response) => proxy.handle(request, response);
    const path = pathOf(apiService);
    this.#paths.handle(path, handler);
    this.#paths.handlePrefix(`${path}/`, handler);
  }

  #dropRemote(name: string, apiService: ApiService): void {
    const remote = this.#remotes.get(name);
    if (remote === undefined) return;
    this.#remotes.delete(name);
    // Requests and watches that are running finish with the server that they were sent to.
    remote.proxy.retire();
    const path = pathOf(apiService);
    this.#paths.unregister(path);
    this.#paths.unregister(`${path}/`);
  }

  /**
   * The group document lists the versions of all APIServices of the group, the preferred one first. Without any, the path is delegated to the next
   * server.
   */
  #routeGroup(group: string): void {
    if (group === '') return;
    const path = `/apis/${group}`;
    const any = [...this.#services.values()].some((service) => service.spec.group === group);
    if (any === this.#groups.has(group)) return;
    if (!any) {
      this.#groups.delete(group);
      for (const variant of [path, `${path}/`]) this.#paths.unregister(variant);
      return;
    }
    this.#groups.add(group);
    const handler: PathHandler = (_context, request, response) =>
      serveDocument(request, response, this.#apiGroup(group));
    this.#paths.handle(path, handler);
    this.#paths.handle(`${path}/`, handler, false);
  }

  #apiGroup(group: string): unknown {
    const versions = [...this.#services.values()]
      .filter((service) => service.spec.group === group)
      .sort(
        (a, b) =>
          b.spec.versionPriority - a.spec.versionPriority ||
          compareVersions(a.spec.version ?? '', b.spec.version ?? ''),
      )
      .map(({ spec }) => ({ groupVersion: `${group}/${spec.version ?? ''}`, version: spec.version ?? '' }));
    return { kind: 'APIGroup', apiVersion: 'v1', name: group, versions, preferredVersion: versions[0] };
  }
}

function pathOf({ spec }: ApiService): string {
  const { group = '', version = '' } = spec;
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/**
 * The APIService with the status that is known of it, if it comes without one: its spec was changed before the first status was written, which the change has
 * outrun. As any condition, it stays until the next check.
 */
function withKnownStatus(apiService: ApiService, known: ApiService | undefined): ApiService {
  if (known?.metadata.uid !== apiService.metadata.uid || known?.status === undefined) return apiService;
  return availableCondition(apiService) === undefined ? { ...apiService, status: known.status } : apiService;
}

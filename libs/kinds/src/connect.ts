import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  parseQuery,
  type Connecter,
  type RegistryStore,
  type RequestContext,
  type ResourceInfo,
  type ResourceStorage,
} from '@apichain/apiserver';
import type { Authorizer } from '@apichain/authz';
import { newBadRequest, newNotImplemented, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { checkNode, checkPodAddress, checkServiceEndpoints, parseTarget } from './connect-targets.ts';
import { requireType } from './create-only.ts';
import { at, records, text } from './fields.ts';
import { checkForwardedPorts } from './pods/forwarded-ports.ts';
import { podLogOptions } from './pods/log-options.ts';
import { checkStreamAuthority } from './pods/stream-authority.ts';
import type { BuiltinResource, BuiltinSubresource } from './resources.ts';

/** Checks a pod before its kubelet would be asked. Throws BadRequest as the original does. */
export function checkPodContainer(pod: KubeObject, container: string): void {
  const name = pod.metadata.name ?? '';
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((kind) =>
    records(at(pod.spec, kind)).map((c) => text(c.name)),
  );
  if (container === '' && records(at(pod.spec, 'containers')).length !== 1) {
    throw newBadRequest(`a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]`);
  }
  if (container !== '' && !containers.includes(container)) {
    throw newBadRequest(`container ${container} is not valid for pod ${name}`);
  }
}

function checkScheduled(pod: KubeObject): void {
  if (text(at(pod.spec, 'nodeName')) !== '') return;
  throw newBadRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`);
}

const subresourceInfo = (resource: BuiltinResource, kind: GroupVersionKind): ResourceInfo => ({
  ...resource.info,
  kind,
  listKind: '',
});

/** What a connection is checked with besides the object that it names. */
export interface ConnectChecks {
  readonly authorizer: Authorizer;
  readonly nodes: () => RegistryStore;
  readonly endpoints: () => RegistryStore;
  readonly pods: () => RegistryStore;
}

/** Streams to nodes: what they lead to is checked; the stream itself ends with 501, for no node is ever reached. */
class NodeStream implements Connecter {
  readonly path: string;
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly connectMethods: readonly string[];
  readonly #store: RegistryStore;
  readonly #checks: ConnectChecks;
  readonly #name: string;

  constructor(resource: BuiltinResource, subresource: BuiltinSubresource, store: RegistryStore, checks: ConnectChecks) {
    const kind = { group: resource.group, version: resource.version, kind: subresource.kind };
    this.path = `${resource.info.plural}/${subresource.name}`;
    this.info = subresourceInfo(resource, kind);
    this.type = requireType(kind);
    this.connectMethods = subresource.methods ?? ['GET'];
    this.#store = store;
    this.#checks = checks;
    this.#name = subresource.name;
  }

  async connect(
    ctx: RequestContext,
    name: string,
    _subpath: string,
    request: IncomingMessage,
    _response: ServerResponse,
  ): Promise<void> {
    if (this.#name === 'proxy') await this.#checkProxy(ctx, name);
    else await this.#checkStream(ctx, name, new URL(request.url ?? '/', 'http://localhost').searchParams);
    throw newNotImplemented(`${this.path} needs a connection to a node, which this server does not make`);
  }

  async #checkStream(ctx: RequestContext, name: string, query: URLSearchParams): Promise<void> {
    const forwards = this.#name === 'portforward';
    if (forwards) checkForwardedPorts(query.getAll('ports'));
    await checkStreamAuthority(this.#checks.authorizer, ctx);
    const pod = (await this.#store.get(ctx, name, { resourceVersion: '' })).parse();
    if (!forwards) checkPodContainer(pod, query.get('container') ?? '');
    checkScheduled(pod);
    await checkNode(this.#checks.nodes(), ctx, text(at(pod.spec, 'nodeName')));
  }

  async #checkProxy(ctx: RequestContext, id: string): Promise<void> {
    const { plural } = this.info;
    const target = parseTarget(id, plural.slice(0, -1));
    if (plural === 'services') {
      const stores = { services: this.#store, endpoints: this.#checks.endpoints(), pods: this.#checks.pods() };
      await checkServiceEndpoints(stores, ctx, id);
    } else if (plural === 'nodes') await checkNode(this.#store, ctx, target.name);
    else checkPodAddress((await this.#store.get(ctx, target.name, { resourceVersion: '' })).parse());
  }
}

/** pods/log: nothing for a pod that runs nowhere yet. */
class PodLog implements Connecter {
  readonly path = 'pods/log';
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly connectMethods = ['GET'];
  readonly readsOnly = true;
  readonly #store: RegistryStore;
  readonly #checks: ConnectChecks;

  constructor(resource: BuiltinResource, store: RegistryStore, checks: ConnectChecks) {
    const kind = { group: '', version: 'v1', kind: 'Pod' };
    this.info = subresourceInfo(resource, kind);
    this.type = requireType(kind);
    this.#store = store;
    this.#checks = checks;
  }

  async connect(
    ctx: RequestContext,
    name: string,
    _subpath: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { container } = podLogOptions(name, parseQuery(request.url));
    const pod = (await this.#store.get(ctx, name, { resourceVersion: '' })).parse();
    checkPodContainer(pod, container);
    const node = text(at(pod.spec, 'nodeName'));
    if (node !== '') {
      await checkNode(this.#checks.nodes(), ctx, node);
      throw newNotImplemented('pods/log needs a connection to a node, which this server does not make');
    }
    response.writeHead(204).end();
  }
}

/** The storages of a resource's subresources that lead out of the API: exec, attach, portforward, proxy, log. */
export function connectStorages(
  resource: BuiltinResource,
  store: RegistryStore,
  checks: ConnectChecks,
): ResourceStorage[] {
  return resource.subresources.flatMap((subresource): ResourceStorage[] => {
    if (subresource.connect === true) return [new NodeStream(resource, subresource, store, checks)];
    return resource.info.plural === 'pods' && subresource.name === 'log' ? [new PodLog(resource, store, checks)] : [];
  });
}

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringifyYaml, type GroupVersion, oncePerObject } from '@apichain/meta';
import type { Logger } from 'pino';
import type { DelegationTarget } from '@apichain/delegation';
import {
  type PathMux,
  checkRoute,
  writePlainDocument,
  type ProtobufCodec,
  protobufMediaType,
  standardFormats,
  wireFormatsOf,
  yamlMediaType,
  findScope,
  acceptClauses,
  jsonMediaType,
} from '@apichain/request';
import { DelegateDiscovery } from './delegate-discovery.ts';
import { mergeGroups } from './merge.ts';
import type { DiscoveryRegistry } from './registry.ts';
import { toApiGroup } from './resources.ts';
import { groupDiscoveryList, type ApiGroupDiscovery } from './types.ts';

interface AggregatedDocument {
  readonly json: Buffer;
  /** The ETag of the JSON form, also sent with other forms: `Vary: Accept` keeps the representations apart. */
  readonly etag: string;
  /** Encoded on first use. */
  protobuf: Buffer | undefined;
}

export { checkRoute, writePlainDocument as serveDocument } from '@apichain/request';

/** The source of the groups of `/api` and `/apis`: this server's and the next server's groups, or the aggregator's complete list. */
export type GroupSource = (
  path: '/api' | '/apis',
) => Promise<readonly ApiGroupDiscovery[]> | readonly ApiGroupDiscovery[];

/**
 * `/api`, `/apis`, `/apis/<group>` and `/apis/<group>/<version>`, legacy and aggregated, kept up to date with a registry.
 * `/api` and `/apis` include the groups of the next server, so that each service of the chain gives a complete response.
 */
export class DiscoveryEndpoints {
  readonly #registry: DiscoveryRegistry;
  readonly #delegate: DelegateDiscovery | undefined;
  readonly #logger: Logger;
  /** The encoded document is kept until the groups change. */
  readonly #documentOf = oncePerObject((groups: readonly ApiGroupDiscovery[]): AggregatedDocument => {
    const json = Buffer.from(`${JSON.stringify(groupDiscoveryList(groups))}\n`);
    const etag = `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`;
    return { json, etag, protobuf: undefined };
  });
  readonly #merged = new Map<string, { revision: number; next: unknown; groups: readonly ApiGroupDiscovery[] }>();
  #source: GroupSource;
  #legacySource: GroupSource;
  #installed = new Set<string>();

  constructor(registry: DiscoveryRegistry, delegate: DelegationTarget | undefined, logger: Logger) {
    this.#registry = registry;
    this.#delegate = delegate === undefined ? undefined : new DelegateDiscovery(delegate);
    this.#logger = logger;
    this.#source = (path) => this.chainGroups(path);
    this.#legacySource = this.#source;
  }

  /**
   * Replaces the source of `/api` and `/apis`. The aggregator orders and completes the groups by APIService. `legacySource` has the groups of
   * the documents that list no resources.
   */
  setSource(source: GroupSource, legacySource: GroupSource): void {
    this.#source = source;
    this.#legacySource = legacySource;
  }

  install(paths: PathMux): void {
    paths.handleRoute('/api', (_context, request, response) => {
      checkRoute(request, standardFormats.objectMediaTypes);
      return this.#serveRoot('/api', request, response);
    });
    paths.handle('/apis', (_context, request, response) => this.#serveRoot('/apis', request, response));
    // With a trailing slash it is a different path, which has no aggregated form.
    paths.handle('/apis/', (_context, request, response) => this.#serveLegacy('/apis', request, response));
    const refresh = () => this.#installGroups(paths);
    this.#registry.onChange(refresh);
    refresh();
  }

  /** Registers the documents of the current groups, and removes those of removed groups. */
  #installGroups(paths: PathMux): void {
    const installed = new Set<string>();
    const serve = (path: string, routed: boolean, document: () => unknown, cbor: boolean) => {
      installed.add(path);
      paths.handleRoute(path, (_context, request, response) => {
        if (routed) checkRoute(request, wireFormatsOf(request).objectMediaTypes);
        return writePlainDocument(request, response, document(), { cbor });
      });
    };
    for (const group of this.#registry.groups()) {
      const name = group.metadata.name ?? '';
      const routed = group.versions.some(({ version }) => this.#registry.isRouted({ group: name, version }));
      if (name !== '')
        serve(`/apis/${name}`, routed, () => ({ kind: 'APIGroup', apiVersion: 'v1', ...toApiGroup(group) }), false);
      for (const { version } of group.versions) {
        const groupVersion: GroupVersion = { group: name, version };
        const path = name === '' ? `/api/${version}` : `/apis/${name}/${version}`;
        const ownRoute = this.#registry.isRouted(groupVersion);
        serve(path, ownRoute, () => this.#registry.resourceList(groupVersion), ownRoute);
      }
    }
    for (const path of this.#installed) if (!installed.has(path)) paths.unregister(path);
    this.#installed = installed;
  }

  /** The groups of this server and all next servers. A next server that cannot be reached is left out and logged. */
  async chainGroups(path: '/api' | '/apis'): Promise<readonly ApiGroupDiscovery[]> {
    const next = await this.#nextGroups(path);
    const revision = this.#registry.revision;
    const cached = this.#merged.get(path);
    if (cached !== undefined && cached.revision === revision && cached.next === next) return cached.groups;
    const own = this.#registry.groups().filter((group) => (group.metadata.name === undefined) === (path === '/api'));
    const groups = mergeGroups(own, next);
    this.#merged.set(path, { revision, next, groups });
    return groups;
  }

  async #nextGroups(path: '/api' | '/apis'): Promise<readonly ApiGroupDiscovery[]> {
    if (this.#delegate === undefined) return nothing;
    try {
      return (await this.#delegate.groups(path)).groups;
    } catch (error) {
      this.#logger.warn({ err: error, path }, 'discovery of the next server is not available');
      return nothing;
    }
  }

  async #serveRoot(root: '/api' | '/apis', request: IncomingMessage, response: ServerResponse): Promise<void> {
    const protobuf = findScope(request)?.runtime.protobuf;
    const contentType = aggregatedContentType(request.headers.accept, protobuf !== undefined);
    if (contentType === undefined) return this.#serveLegacy(root, request, response);
    this.#serveAggregated(await this.#source(root), contentType, { request, response, protobuf });
  }

  async #serveLegacy(root: '/api' | '/apis', request: IncomingMessage, response: ServerResponse): Promise<void> {
    await writePlainDocument(request, response, legacyRoot(root, await this.#legacySource(root), request));
  }

  #serveAggregated(
    groups: readonly ApiGroupDiscovery[],
    contentType: string,
    { request, response, protobuf }: Exchange,
  ): void {
    const document = this.#documentOf(groups);
    const { etag } = document;
    response.setHeader('ETag', etag);
    response.setHeader('Vary', 'Accept');
    response.setHeader('Cache-Control', 'public');
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304);
      response.end();
      return;
    }
    const body = encodedAs(contentType, document, groups, protobuf);
    response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': body.length });
    response.end(body);
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly protobuf: ProtobufCodec | undefined;
}

function encodedAs(
  contentType: string,
  document: AggregatedDocument,
  groups: readonly ApiGroupDiscovery[],
  protobuf: ProtobufCodec | undefined,
): Buffer {
  if (contentType.startsWith(yamlMediaType)) return Buffer.from(stringifyYaml(groupDiscoveryList(groups)));
  if (!contentType.startsWith(protobufMediaType) || protobuf === undefined) return document.json;
  document.protobuf ??= protobuf.encode({ ...groupDiscoveryList(groups) });
  return document.protobuf;
}

const nothing: readonly ApiGroupDiscovery[] = [];

function legacyRoot(root: '/api' | '/apis', groups: readonly ApiGroupDiscovery[], request: IncomingMessage): unknown {
  if (root === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(toApiGroup) };
  return {
    kind: 'APIVersions',
    versions: groups.flatMap((group) => group.versions.map(({ version }) => version)),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: addressOf(request) }],
  };
}

function addressOf(request: IncomingMessage): string {
  const { localAddress, localPort } = request.socket;
  const host = localAddress?.includes(':') === true ? `[${localAddress}]` : localAddress;
  return host === undefined ? '' : `${host}:${localPort ?? ''}`;
}

const withoutProtobuf: readonly string[] = [jsonMediaType, yamlMediaType];
const withProtobuf = [...withoutProtobuf, protobufMediaType];

/**
 * The content type of aggregated discovery, if any clause of the Accept header requests it. Clauses without the discovery
 * parameters are ignored, whatever their weight. Undefined = the legacy document.
 * Source: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/wrapper.go.
 */
export function aggregatedContentType(accept: string | undefined, hasProtobuf = true): string | undefined {
  if (accept === undefined || !accept.includes('APIGroupDiscoveryList')) return undefined;
  const mediaTypes = hasProtobuf ? withProtobuf : withoutProtobuf;
  for (const { type, subtype, parameters } of acceptClauses(accept)) {
    const any = subtype === '*' && (type === '*' || type === 'application');
    const served = any ? jsonMediaType : `${type}/${subtype}`;
    const wanted =
      parameters.get('as') === 'APIGroupDiscoveryList' &&
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('v') === 'v2';
    if (wanted && mediaTypes.includes(served)) return `${served};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
  }
  return undefined;
}

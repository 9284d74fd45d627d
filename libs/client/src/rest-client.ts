import {
  type KubeObject,
  type ListMeta,
  type Status,
  currentActivity,
  parseJson,
  parseJsonInSlices,
  stringifyJson,
} from '@apichain/meta';
import { responseError } from './response-error.ts';
import type { Transport, TransportRequest } from './transport.ts';

type Listed<Kind extends KubeObject> = Omit<ObjectList<Kind>, 'items'> & { readonly items: Kind[] | null };

/** The response to a list. `metadata.continue` is set when there are more objects than `limit` in the query. */
export interface ObjectList<Kind extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: Kind[];
}

/** An event of a watch: https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export type ClientWatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status };

/**
 * A resource and its namespace: `{ group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' }`. `Kind` is the TypeScript type of
 * its objects: what a `ResourceReference<Tenant>` is passed to takes and returns tenants. The type is believed, not checked.
 */
export interface ResourceReference<Kind extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
  /** Exists for the compiler only. */
  readonly objects?: Kind;
}

/** Parameters of a request: `{ labelSelector: 'app=web', limit: 500 }`. Undefined ones are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** In which form objects are read. */
export interface ReadOptions {
  /**
   * Requests only metadata (PartialObjectMetadata), which is cheaper for client and server. A server without support for it returns whole objects.
   * https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
   */
  readonly metadataOnly?: boolean;
}

/** Options of a single request. */
export interface RequestOptions extends ReadOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Called with the size of the response body in bytes. */
  readonly onSize?: (bytes: number) => void;
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/**
 * A typed-by-path client of one API server. Every method throws StatusError for a response of 400 and above, or the transport's error when there
 * was no response. The error has the server's Status; for a response without one, such as the page of a proxy, it has the reason and message of the code.
 */
export class RestClient {
  readonly transport: Transport;
  constructor(transport: Transport) {
    this.transport = transport;
  }

  async get<Kind extends KubeObject = KubeObject>(
    ref: ResourceReference<Kind>,
    name: string,
    query?: Query,
    options: RequestOptions = {},
  ): Promise<Kind> {
    const accept = acceptHeader('PartialObjectMetadata', options);
    const exchange = { query, accept, signal: options.signal, resource: ref, name };
    return (await this.#exchange('GET', resourcePath(ref, name), exchange)) as Kind;
  }

  async list<Kind extends KubeObject = KubeObject>(
    ref: ResourceReference<Kind>,
    query?: Query,
    options: RequestOptions = {},
  ): Promise<ObjectList<Kind>> {
    const accept = acceptHeader('PartialObjectMetadataList', options);
    const list = (await this.#exchange('GET', resourcePath(ref), {
      query,
      accept,
      signal: options.signal,
      onSize: options.onSize,
      resource: ref,
    })) as Listed<Kind>;
    // In an empty list of metadata, `items` is null.
    return { ...list, items: list.items ?? [] };
  }

  async create<Kind extends KubeObject = KubeObject>(
    ref: ResourceReference<Kind>,
    object: NoInfer<Kind>,
    query?: Query,
  ): Promise<Kind> {
    return (await this.#exchange('POST', resourcePath(ref), { query, body: object, resource: ref })) as Kind;
  }

  /** Replaces the object. With its `metadata.resourceVersion`, a change by somebody else in the meantime is a Conflict. */
  async update<Kind extends KubeObject = KubeObject>(
    ref: ResourceReference<Kind>,
    object: NoInfer<Kind>,
    options: { subresource?: string; query?: Query } = {},
  ): Promise<Kind> {
    const { name = '' } = object.metadata;
    const path = resourcePath(ref, name, options.subresource);
    return (await this.#exchange('PUT', path, { query: options.query, body: object, resource: ref, name })) as Kind;
  }

  /** `apply` is server-side apply: it creates what does not exist, and needs the `fieldManager` in `query`. */
  async patch<Kind extends KubeObject = KubeObject>(
    ref: ResourceReference<Kind>,
    name: string,
    type: keyof typeof patchTypes,
    patch: unknown,
    options: { subresource?: string; query?: Query } = {},
  ): Promise<Kind> {
    const path = resourcePath(ref, name, options.subresource);
    const exchange = { query: options.query, body: patch, contentType: patchTypes[type], resource: ref, name };
    return (await this.#exchange('PATCH', path, exchange)) as Kind;
  }

  /** `body` is a DeleteOptions. Its preconditions prevent the deletion of a newer object with the same name. */
  async delete(ref: ResourceReference, name: string, body?: Record<string, unknown>): Promise<unknown> {
    const options = body === undefined ? undefined : { apiVersion: 'v1', kind: 'DeleteOptions', ...body };
    return this.#exchange('DELETE', resourcePath(ref, name), { body: options, resource: ref, name });
  }

  /** Deletes the objects of the resource that `query` selects. `body` is a DeleteOptions. */
  async deleteCollection(ref: ResourceReference, query?: Query, body?: Record<string, unknown>): Promise<unknown> {
    const options = body === undefined ? undefined : { apiVersion: 'v1', kind: 'DeleteOptions', ...body };
    return this.#exchange('DELETE', resourcePath(ref), { query, body: options, resource: ref });
  }

  /** The decoded JSON response of any path. */
  async request(
    method: TransportRequest['method'],
    path: string,
    query?: Query,
    body?: unknown,
    contentType = 'application/json',
    signal?: AbortSignal,
  ): Promise<unknown> {
    return this.#exchange(method, path, { query, body, contentType, signal });
  }

  /** The decoded JSON response to a GET with another Accept header, e.g. for aggregated discovery. */
  async read(path: string, accept: string): Promise<unknown> {
    return this.#exchange('GET', path, { accept });
  }

  #exchange(method: TransportRequest['method'], path: string, exchange: Exchange): Promise<unknown> {
    const activity = currentActivity();
    const send = () => this.#send(method, path, exchange);
    return activity === undefined ? send() : activity.request(`${method} ${path}`, send);
  }

  async #send(method: TransportRequest['method'], path: string, exchange: Exchange): Promise<unknown> {
    const { query, body, contentType = 'application/json', accept = 'application/json', signal } = exchange;
    const response = await this.transport.send({
      method,
      path: path + formatQuery(query),
      headers: { accept, ...(body === undefined ? {} : { 'content-type': contentType }) },
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
      signal,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (response.status >= 400) throw responseError({ ...exchange, method }, response, bytes);
    exchange.onSize?.(bytes.length);
    return bytes.length === 0 ? undefined : parseInSteps(bytes);
  }

  /** Events from `query.resourceVersion` on, until the server ends the watch or `signal` aborts. */
  async *watch(
    ref: ResourceReference,
    query: Query,
    signal: AbortSignal,
    options: ReadOptions = {},
  ): AsyncGenerator<ClientWatchEvent> {
    const response = await this.transport.send({
      method: 'GET',
      path: resourcePath(ref) + formatQuery({ ...query, watch: true }),
      headers: { accept: acceptHeader('PartialObjectMetadata', options) },
      signal,
      longRunning: true,
    });
    if (response.status >= 400) {
      const chunks: Buffer[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      throw responseError({ method: 'GET', resource: ref }, response, Buffer.concat(chunks));
    }
    for await (const line of lines(response.body)) yield (await parseInSteps(line)) as ClientWatchEvent;
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}

/** Documents longer than this, in bytes, are parsed in steps: the client may run in the process of its server. */
const longDocument = 200_000;

async function parseInSteps(json: Buffer): Promise<unknown> {
  if (json.length < longDocument) return parseJson(json);
  const { value, numberError } = await parseJsonInSlices(json);
  if (numberError !== undefined) throw numberError;
  return value;
}

interface Exchange {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  readonly onSize?: ((bytes: number) => void) | undefined;
  /** What the request is about, for the error of a response without a Status. */
  readonly resource?: ResourceReference;
  readonly name?: string;
}

function acceptHeader(kind: string, options: ReadOptions): string {
  return options.metadataOnly === true
    ? `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`
    : 'application/json';
}

/** `/apis/apps/v1/namespaces/default/deployments/web/status`; every segment is percent-encoded. Throws Error for an empty name, which would mean all objects. */
export function resourcePath(ref: ResourceReference, name?: string, subresource?: string): string {
  if (name === '') throw new Error('resource name may not be empty');
  const segments = ref.group === '' ? ['api', ref.version] : ['apis', ref.group, ref.version];
  if (ref.namespace !== undefined && ref.namespace !== '') segments.push('namespaces', ref.namespace);
  segments.push(ref.resource);
  if (name !== undefined) segments.push(name);
  if (subresource !== undefined) segments.push(...subresource.split('/'));
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

function formatQuery(query?: Query): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end);
      yield parts.length === 0 ? line : Buffer.concat([...parts, line]);
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
}

import {
  type KubeObject,
  type ListMeta,
  type Status,
  StatusError,
  parseJson,
  parseJsonInSlices,
  stringifyJson,
} from '@apichain/meta';
import type { Transport, TransportRequest } from './transport.ts';

type Listed = Omit<ObjectList, 'items'> & { readonly items: KubeObject[] | null };

export interface ObjectList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: KubeObject[];
}

/** A line of a watch. */
export type ClientWatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status };

/** A resource and its namespace: `{ group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' }`. */
export interface ResourceReference {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

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
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/**
 * A typed-by-path client of one API server. Every method throws StatusError for an answer of 400 and above, with the server's
 * Status, or the transport's error when there was no answer.
 */
export class RestClient {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get(ref: ResourceReference, name: string, query?: Query, options: RequestOptions = {}): Promise<KubeObject> {
    const accept = acceptHeader('PartialObjectMetadata', options);
    return (await this.#exchange('GET', resourcePath(ref, name), {
      query,
      accept,
      signal: options.signal,
    })) as KubeObject;
  }

  async list(ref: ResourceReference, query?: Query, options: RequestOptions = {}): Promise<ObjectList> {
    const accept = acceptHeader('PartialObjectMetadataList', options);
    const list = (await this.#exchange('GET', resourcePath(ref), { query, accept, signal: options.signal })) as Listed;
    // In an empty list of metadata, `items` is null.
    return { ...list, items: list.items ?? [] };
  }

  async create(ref: ResourceReference, object: KubeObject, query?: Query): Promise<KubeObject> {
    return (await this.request('POST', resourcePath(ref), query, object)) as KubeObject;
  }

  async update(
    ref: ResourceReference,
    object: KubeObject,
    options: { subresource?: string; query?: Query } = {},
  ): Promise<KubeObject> {
    const path = resourcePath(ref, object.metadata.name ?? '', options.subresource);
    return (await this.request('PUT', path, options.query, object)) as KubeObject;
  }

  async patch(
    ref: ResourceReference,
    name: string,
    type: keyof typeof patchTypes,
    patch: unknown,
    options: { subresource?: string; query?: Query } = {},
  ): Promise<KubeObject> {
    const path = resourcePath(ref, name, options.subresource);
    return (await this.request('PATCH', path, options.query, patch, patchTypes[type])) as KubeObject;
  }

  /** `body` is a DeleteOptions. Its preconditions prevent the deletion of a newer object with the same name. */
  async delete(ref: ResourceReference, name: string, body?: Record<string, unknown>): Promise<unknown> {
    const options = body === undefined ? undefined : { apiVersion: 'v1', kind: 'DeleteOptions', ...body };
    return this.request('DELETE', resourcePath(ref, name), undefined, options);
  }

  /** Deletes the objects of the resource that `query` selects. `body` is a DeleteOptions. */
  async deleteCollection(ref: ResourceReference, query?: Query, body?: Record<string, unknown>): Promise<unknown> {
    const options = body === undefined ? undefined : { apiVersion: 'v1', kind: 'DeleteOptions', ...body };
    return this.request('DELETE', resourcePath(ref), query, options);
  }

  /** The decoded JSON answer of any path. */
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

  /** The decoded JSON answer to a GET with another Accept header, e.g. for aggregated discovery. */
  async read(path: string, accept: string): Promise<unknown> {
    return this.#exchange('GET', path, { accept });
  }

  async #exchange(method: TransportRequest['method'], path: string, exchange: Exchange): Promise<unknown> {
    const { query, body, contentType = 'application/json', accept = 'application/json', signal } = exchange;
    const response = await this.#transport.send({
      method,
      path: path + formatQuery(query),
      headers: { accept, ...(body === undefined ? {} : { 'content-type': contentType }) },
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (response.status >= 400) throw responseError(response.status, bytes);
    return bytes.length === 0 ? undefined : parseJson(bytes);
  }

  /** Events from `query.resourceVersion` on, until the server ends the watch or `signal` aborts. */
  async *watch(
    ref: ResourceReference,
    query: Query,
    signal: AbortSignal,
    options: ReadOptions = {},
  ): AsyncGenerator<ClientWatchEvent> {
    const response = await this.#transport.send({
      method: 'GET',
      path: resourcePath(ref) + formatQuery({ ...query, watch: true }),
      headers: { accept: acceptHeader('PartialObjectMetadata', options) },
      signal,
      longRunning: true,
    });
    if (response.status >= 400) {
      const chunks: Buffer[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      throw responseError(response.status, Buffer.concat(chunks));
    }
    for await (const line of lines(response.body)) yield (await eventOf(line)) as ClientWatchEvent;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** Events longer than this, in bytes, are parsed in steps. */
const longEvent = 200_000;

async function eventOf(line: Buffer): Promise<unknown> {
  if (line.length < longEvent) return parseJson(line);
  const { value, numberError } = await parseJsonInSlices(line);
  if (numberError !== undefined) throw numberError;
  return value;
}

interface Exchange {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

function acceptHeader(kind: string, options: ReadOptions): string {
  return options.metadataOnly === true
    ? `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`
    : 'application/json';
}

/** `/apis/apps/v1/namespaces/default/deployments/web/status`; every segment is percent-encoded. */
export function resourcePath(ref: ResourceReference, name?: string, subresource?: string): string {
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

function responseError(code: number, bytes: Buffer): StatusError {
  const text = bytes.toString('utf8');
  if (text.startsWith('{')) {
    const body = parseJson(text) as Partial<Status>;
    if (body.kind === 'Status') return new StatusError({ ...(body as Status), code: body.code ?? code });
  }
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text.trim(),
    code,
  });
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

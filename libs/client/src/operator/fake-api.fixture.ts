import assert from 'node:assert/strict';
import { applyMergePatch, deepEqual, type KubeObject, newConflict, newNotFound, StatusError } from '@apichain/meta';
import { RestClient } from '../rest-client.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';
import type { Controller } from './controller.ts';
import type { KindReference } from './kind.ts';
import { startManager, type Manager, type ManagerOptions } from './manager.ts';

type Stored = KubeObject & { metadata: { name: string; resourceVersion: string } };

export interface Widget extends KubeObject {
  spec: { size: number };
  status?: { observed?: number; conditions?: { type: string; status: string }[] };
}
export const widgets: KindReference<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
};
export const secrets: KindReference = { group: '', version: 'v1', kind: 'Secret', resource: 'secrets' };

export const widget = (name: string, size = 1, metadata: KubeObject['metadata'] = {}): Widget => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { size },
});

/** A server of all resources with the semantics that controllers depend on: versions, conflicts, watches, finalizers, generations. */
export class FakeApi implements Transport {
  /** The requests other than GET: `PATCH /api/v1/...`. */
  readonly writes: string[] = [];
  readonly reads: string[] = [];
  readonly client = new RestClient(this);
  /** Called before each request; may throw. */
  before: (request: TransportRequest) => void = () => undefined;
  readonly #objects = new Map<string, Stored>();
  readonly #watchers = new Set<{ readonly path: string; readonly send: (type: string, object: Stored) => void }>();
  #revision = 0;

  async send(request: TransportRequest): Promise<TransportResponse> {
    const url = new URL(request.path, 'http://server');
    (request.method === 'GET' ? this.reads : this.writes).push(`${request.method} ${url.pathname}`);
    try {
      this.before(request);
      if (url.searchParams.get('watch') === 'true') return this.#watch(url, request.signal);
      return respond(
        200,
        this.#handle(request.method, url.pathname, JSON.parse(String(request.body ?? '{}')) as KubeObject),
      );
    } catch (error) {
      if (error instanceof StatusError) return respond(error.code, { ...error.status });
      throw error;
    }
  }

  async close(): Promise<void> {}

  #handle(method: string, pathname: string, body: KubeObject): object {
    const isStatus = pathname.endsWith('/status');
    const path = isStatus ? pathname.slice(0, -'/status'.length) : pathname;
    if (method === 'POST') return this.#store(`${path}/${body.metadata.name}`, 'ADDED', { ...body });
    const stored = this.#objects.get(path);
    if (method === 'GET' && stored === undefined && !/\/[a-z]+s\/[^/]+$/.test(path)) return this.#list(path);
    if (stored === undefined && method === 'PATCH' && 'apiVersion' in body)
      return this.#store(path, 'ADDED', { ...body });
    if (stored === undefined) throw newNotFound({ group: '', resource: 'things' }, path);
    if (method === 'GET') return stored;
    const { resourceVersion } = body.metadata ?? {};
    if (resourceVersion !== undefined && resourceVersion !== stored.metadata.resourceVersion)
      throw newConflict({ group: '', resource: 'things' }, path, 'the object has been modified');
    if (method === 'DELETE') return this.#delete(path, stored);
    const next = (method === 'PATCH' ? applyMergePatch(stored, body) : body) as KubeObject;
    // A write that changes nothing is no event.
    if (deepEqual(next, stored)) return stored;
    return this.#store(path, 'MODIFIED', isStatus ? { ...stored, status: next['status'] } : next);
  }

  #list(path: string): object {
    const items = [...this.#objects]
      .filter(([key]) => isIn(key, path))
      .map(([, { apiVersion: _, kind: __, ...item }]) => item);
    return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: String(this.#revision) }, items };
  }

  #delete(path: string, stored: Stored): object {
    if ((stored.metadata.finalizers ?? []).length > 0)
      return this.#store(path, 'MODIFIED', {
        ...stored,
        metadata: { ...stored.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      });
    this.#objects.delete(path);
    this.#tell(path, 'DELETED', stored);
    return stored;
  }

  #store(path: string, type: string, object: KubeObject): Stored {
    const before = this.#objects.get(path);
    const { uid = `uid-${this.#revision}`, generation = 0 } = before?.metadata ?? {};
    const isChanged = JSON.stringify(before?.['spec']) !== JSON.stringify(object['spec']);
    const stored = {
      ...object,
      metadata: {
        ...object.metadata,
        name: path.slice(path.lastIndexOf('/') + 1),
        uid,
        generation: generation + (isChanged ? 1 : 0),
        resourceVersion: String(++this.#revision),
      },
    };
    const { deletionTimestamp, finalizers = [] } = stored.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      this.#objects.delete(path);
      this.#tell(path, 'DELETED', stored);
    } else {
      this.#objects.set(path, stored);
      this.#tell(path, type, stored);
    }
    return stored;
  }

  #tell(path: string, type: string, object: Stored): void {
    for (const watcher of this.#watchers) if (isIn(path, watcher.path)) watcher.send(type, object);
  }

  #watch(url: URL, signal?: AbortSignal): TransportResponse {
    if (url.searchParams.has('sendInitialEvents'))
      return respond(422, { kind: 'Status', code: 422, reason: 'Invalid' });
    const lines: Buffer[] = [];
    let wake = () => undefined as void;
    const watcher = {
      path: url.pathname,
      send: (type: string, object: Stored) => {
        lines.push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
        wake();
      },
    };
    this.#watchers.add(watcher);
    const watchers = this.#watchers;
    async function* body() {
      while (signal?.aborted !== true) {
        const line = lines.shift();
        if (line !== undefined) yield line;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal?.addEventListener('abort', () => resolve(), { once: true });
          });
      }
      watchers.delete(watcher);
    }
    return { status: 200, headers: {}, body: Object.assign(body(), { dump: async () => undefined }) };
  }
}

/** Whether the object at a path is one of a collection: of a namespace, or of all. */
const isIn = (path: string, collection: string): boolean =>
  path.replace(/\/[^/]+$/, '') === collection ||
  path.replace(/\/namespaces\/[^/]+\/([^/]+)\/[^/]+$/, '/$1') === collection;

function respond(status: number, content: object): TransportResponse {
  async function* body() {
    yield Buffer.from(JSON.stringify(content));
  }
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: Object.assign(body(), { dump: async () => undefined }) };
}

/** Resolves when a condition is met, which something that is under way brings about. */
export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 2_000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.ok(condition());
}

/** Starts controllers whose failures are collected. */
export async function startTest(
  api: FakeApi,
  controllers: readonly Controller[],
  options: Partial<ManagerOptions> = {},
): Promise<{ readonly manager: Manager; readonly errors: string[] }> {
  const errors: string[] = [];
  const log = {
    info: () => undefined,
    error: (message: string, fields?: object) => void errors.push(`${message} ${JSON.stringify(fields)}`),
  };
  return { manager: await startManager({ client: api.client, controllers, log, ...options }), errors };
}

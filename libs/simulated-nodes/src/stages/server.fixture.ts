import type { Transport, TransportRequest, TransportResponse } from '@apichain/client';
import {
  applyMergePatch,
  type Clock,
  type JsonObject,
  type KubeObject,
  newConflict,
  newInvalid,
  newNotFound,
  StatusError,
} from '@apichain/meta';

/** A clock that a test moves. */
export class ManualClock implements Clock {
  time = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  #waiting: (() => void)[] = [];

  now(): number {
    return this.time;
  }

  setTimer(callback: () => void, delayMs: number): () => void {
    const timer = { due: this.time + delayMs, callback };
    this.#timers.add(timer);
    for (const waiter of this.#waiting.splice(0)) waiter();
    return () => this.#timers.delete(timer);
  }

  /** How long until the next timer, in milliseconds; waits until there is one. */
  async nextDelay(): Promise<number> {
    while (this.#timers.size === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return Math.min(...[...this.#timers].map(({ due }) => due)) - this.time;
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
    for (const timer of [...this.#timers].filter(({ due }) => due <= this.time)) {
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

/** A write that the server has received. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A server with the objects of one cluster-scoped resource: lists and watches them, takes merge patches, creations of anything, and deletions. */
export class FakeServer implements Transport {
  readonly objects = new Map<string, KubeObject>();
  readonly writes: Write[] = [];
  /** Refuses patches when it returns a message. */
  refuse: (name: string) => string | undefined = () => undefined;
  #version = 0;
  #watchers = new Set<(line: string) => void>();
  readonly #history: { readonly version: number; readonly line: string }[] = [];
  #written: (() => void)[] = [];

  put(object: KubeObject): KubeObject {
    const { name = '' } = object.metadata;
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.objects.set(name, stored);
    this.#tell(type, stored);
    return stored;
  }

  /** Resolves when this many writes have been received. */
  async wrote(count: number): Promise<readonly Write[]> {
    while (this.writes.length < count) await new Promise<void>((resolve) => this.#written.push(resolve));
    return this.writes;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { pathname, searchParams } = new URL(request.path, 'http://server');
    if (request.method === 'GET' && searchParams.get('watch') === 'true')
      return response(
        200,
        this.#watch(Number(searchParams.get('resourceVersion')), request.signal ?? new AbortController().signal),
      );
    try {
      return response(200, [JSON.stringify(this.#documentFor(request, pathname))]);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return response(error.code, [JSON.stringify(error.status)]);
    }
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }

  #documentFor({ method, body }: TransportRequest, path: string): object {
    if (method === 'GET')
      return {
        apiVersion: 'v1',
        kind: 'List',
        metadata: { resourceVersion: String(this.#version) },
        items: [...this.objects.values()],
      };
    const document = body === undefined ? undefined : (JSON.parse(body.toString()) as JsonObject);
    this.writes.push({ method, path, body: document });
    for (const waiter of this.#written.splice(0)) waiter();
    const name = path.split('/')[5] ?? '';
    if (method === 'POST') return document ?? {};
    const object = this.objects.get(name);
    if (object === undefined) throw newNotFound({ group: 'example.com', resource: 'widgets' }, name);
    if (method === 'DELETE') {
      this.objects.delete(name);
      this.#tell('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } });
      return {};
    }
    const refusal = this.refuse(name);
    if (refusal === 'conflict') throw newConflict({ group: 'example.com', resource: 'widgets' }, name, refusal);
    if (refusal !== undefined) throw newInvalid({ group: 'example.com', kind: 'Widget' }, name, []);
    const patched = applyMergePatch(object, document ?? {}) as KubeObject;
    return JSON.stringify(patched) === JSON.stringify(object) ? object : this.put(patched);
  }

  #tell(type: string, object: KubeObject): void {
    const line = `${JSON.stringify({ type, object })}\n`;
    this.#history.push({ version: this.#version, line });
    for (const watcher of this.#watchers) watcher(line);
  }

  async *#watch(after: number, signal: AbortSignal): AsyncGenerator<string> {
    const lines = this.#history.filter(({ version }) => version > after).map(({ line }) => line);
    let wake = () => undefined as void;
    const watcher = (line: string) => {
      lines.push(line);
      wake();
    };
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        const line = lines.shift();
        if (line !== undefined) yield line;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}

function response(status: number, lines: Iterable<string> | AsyncIterable<string>): TransportResponse {
  async function* body() {
    for await (const line of lines) yield Buffer.from(line);
  }
  return { status, headers: {}, body: Object.assign(body(), { dump: async () => undefined }) };
}

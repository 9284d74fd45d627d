import type { Transport, TransportRequest, TransportResponse } from '@apichain/client';
import { stringifyJson, type KubeObject } from '@apichain/meta';

/** A response of the scripted core API: a status code with a body, or the lines of a watch. */
type ScriptedResponse =
  | { readonly code?: number; readonly body: unknown }
  | { readonly lines: AsyncIterable<unknown> | Iterable<unknown> };

/** A core API whose responses the test gives. Without a response, a path is not served. */
export class ScriptedCore implements Transport {
  /** Every request, as `GET /api/v1/namespaces?limit=500`. */
  readonly requests: string[] = [];
  readonly bodies: unknown[] = [];
  answer: (method: string, path: string, query: URLSearchParams) => ScriptedResponse | undefined = () => undefined;
  /** If set, there is no connection. */
  failure: Error | undefined;

  async send({ method, path, body, signal }: TransportRequest): Promise<TransportResponse> {
    this.requests.push(`${method} ${path}`);
    if (body !== undefined) this.bodies.push(JSON.parse(body.toString()));
    if (this.failure !== undefined) throw this.failure;
    const { pathname, searchParams } = new URL(path, 'http://core');
    const given = this.answer(method, pathname, searchParams);
    if (given === undefined) return response(404, ['404 page not found']);
    if (!('lines' in given)) return response(given.code ?? 200, [stringifyJson(given.body)]);
    return response(200, untilAborted(given.lines, signal));
  }

  async close(): Promise<void> {
    this.failure = new Error('closed');
  }
}

async function* untilAborted(lines: AsyncIterable<unknown> | Iterable<unknown>, signal?: AbortSignal) {
  for await (const line of lines) {
    if (signal?.aborted === true) throw new DOMException('aborted', 'AbortError');
    yield `${stringifyJson(line)}\n`;
  }
}

function response(status: number, chunks: AsyncIterable<string> | Iterable<string>): TransportResponse {
  async function* body() {
    for await (const chunk of chunks) yield Buffer.from(chunk);
  }
  return { status, headers: {}, body: Object.assign(body(), { dump: async () => undefined }) };
}

/** A namespace of the core API. */
export const namespaceOf = (name: string, resourceVersion: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, resourceVersion: String(resourceVersion) },
  status: { phase: 'Active' },
});

/** A list, whose items do not have their type, as an API server sends it. */
export const listOf = (resourceVersion: number, objects: readonly KubeObject[], more: object = {}): object => ({
  kind: `${objects[0]?.kind ?? ''}List`,
  apiVersion: objects[0]?.apiVersion ?? 'v1',
  metadata: { resourceVersion: String(resourceVersion), ...more },
  items: objects.map(({ kind: _kind, apiVersion: _version, ...rest }) => rest),
});

/** A Status of an API server. */
export const statusOf = (code: number, message: string, details: object = {}) => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message, details },
});

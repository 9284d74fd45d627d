import { once } from 'node:events';
import { noQuery, ServerRuntime, splitUrl, type WireFormats } from '@apichain/request';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { alwaysAllow } from '@apichain/authz';
import {
  createCustomResourceHandler,
  createGroupVersionHandler,
  type CustomResourceHandlerOptions,
} from './installer.ts';
import { parseRequestInfo } from '@apichain/request';
import { attachScope, RequestScope } from '@apichain/request';
import type { Widgets } from './registry/widgets.fixture.ts';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export const base = '/apis/test.example.com/v1/namespaces/ns/widgets';
export const groupVersion = { group: 'test.example.com', version: 'v1' };

export interface HarnessOptions extends Partial<CustomResourceHandlerOptions> {
  /** Serve the widgets as custom resources. */
  readonly custom?: boolean;
  /** The formats of the server. */
  readonly formats?: WireFormats;
}

/** A group-version of widgets, served on a separate port. */
export class Harness {
  readonly widgets: Widgets;
  /** Errors thrown by handlers. A server would log them. */
  readonly thrown: unknown[] = [];
  readonly #server: http.Server;

  constructor(widgets: Widgets, { custom, formats, ...options }: HarnessOptions) {
    this.widgets = widgets;
    const createHandler = custom === true ? createCustomResourceHandler : createGroupVersionHandler;
    const handler = createHandler(groupVersion, widgets.defined.storagesOf(groupVersion), {
      authorizer: alwaysAllow,
      ...options,
    });
    const runtime = new ServerRuntime({ formats });
    this.#server = http.createServer((request, response) => {
      const { path, query } = splitUrl(request.url ?? '/') ?? { path: '/', query: noQuery };
      const scope = new RequestScope(request, response, path, query, runtime);
      attachScope(scope);
      scope.requestInfo = parseRequestInfo(request.method ?? '', scope.path, scope.query);
      response.once('close', () => scope.abort(new Error('gone')));
      handler.handle(scope, request, response).catch((error: unknown) => {
        this.thrown.push(error);
        response.destroy();
      });
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }
  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  open(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ): Promise<http.IncomingMessage> {
    const { port } = this.#server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', method, path, headers }, resolve);
      request.once('error', reject);
      const bytes = bytesOf(body);
      request.setHeader('content-length', bytes.length);
      request.end(bytes);
    });
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ReceivedResponse> {
    const response = await this.open(method, path, headers, body);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const bytes = response.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    const text = bytes.toString('utf8');
    const json = response.headers['content-type'] === 'application/json';
    const parsed: unknown = json && text !== '' ? JSON.parse(text) : {};
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      bytes,
      text,
      body: parsed as Record<string, unknown>,
    };
  }
}

/** Buffers and strings are sent unchanged, other values as JSON. */
function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

export const widget = (name: string, rest: object = {}) => ({
  apiVersion: 'test.example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...rest,
});

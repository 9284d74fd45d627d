import type { IncomingMessage, ServerResponse } from 'node:http';
import { keepAnswer, takeNotesOf } from '../audit/relay.ts';
import type { RequestScope } from '../request-scope.ts';
import type { LinkPool } from './link/pool.ts';
import { requestHead } from './link/request-head.ts';
import type { LinkResponse } from './link/whole-response.ts';
import { writeUnavailable } from './unavailable.ts';

const shortVerbs: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

/** Whether the answer is one object, or a failure: it is held as a whole, and comes without anybody having to wait for events. */
export function isShort(request: IncomingMessage, { requestInfo, longRunning }: RequestScope): boolean {
  return requestInfo.isResourceRequest && !longRunning && shortVerbs.has(requestInfo.verb) && request.method !== 'HEAD';
}

/** One short request on its way to the next server, and its answer on the way back. */
export class ShortExchange {
  readonly #link: LinkPool;
  readonly #host: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #scope: RequestScope;
  readonly #done = Promise.withResolvers<void>();
  #cancel: () => void = () => undefined;

  constructor(link: LinkPool, host: string, request: IncomingMessage, response: ServerResponse, scope: RequestScope) {
    this.#link = link;
    this.#host = host;
    this.#request = request;
    this.#response = response;
    this.#scope = scope;
  }

  /** Resolves when the response has been given to the client's connection, or will not be any more. */
  send(body: Buffer | undefined): Promise<void> {
    let head: string;
    try {
      head = requestHead(this.#request, this.#scope, this.#host, this.#bodyLength(body));
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return this.#done.promise;
    }
    this.#scope.onAbort(() => {
      this.#cancel();
      this.#done.resolve();
    });
    this.#try(head, body, true);
    return this.#done.promise;
  }

  #bodyLength(body: Buffer | undefined): number | undefined {
    if (body !== undefined) return body.length;
    return this.#request.method === 'GET' || this.#request.method === 'DELETE' ? undefined : 0;
  }

  #try(head: string, body: Buffer | undefined, mayRetry: boolean): void {
    const exchange = {
      head,
      body,
      onResponse: (response: LinkResponse) => this.#answer(response),
      onFailure: (error: Error, mayHaveArrived: boolean) => {
        // A kept connection that the other side had closed meanwhile; what may have been done once is not done again.
        const repeatable = this.#reads || !mayHaveArrived;
        if (mayRetry && repeatable && !isUnreachable(error)) this.#try(head, body, false);
        else this.#fail(error);
      },
    };
    const { apiGroup } = this.#scope.requestInfo;
    // Reads of one group are answered out of memory, or all by the same webhook; a write waits for whoever admits it.
    this.#cancel = this.#reads ? this.#link.sendShared(apiGroup, exchange) : this.#link.sendAlone(exchange);
  }

  get #reads(): boolean {
    return this.#request.method === 'GET';
  }

  #answer({ status, headers, body }: LinkResponse): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) {
      this.#done.resolve();
      return;
    }
    response.statusCode = status;
    if (takeNotesOf(this.#scope, headers)) keepAnswer(this.#scope, headers, body);
    for (let i = 0; i + 1 < headers.length; i += 2) this.#setHeader(headers, i);
    response.end(body);
    this.#done.resolve();
  }

  /** The header at position `i`; one that is repeated replaces what the filters set with its first value and adds the others. */
  #setHeader(headers: readonly string[], i: number): void {
    const name = headers[i] ?? '';
    const value = headers[i + 1] ?? '';
    // Node writes the date itself, and the audit id is the one that was sent.
    if (name === 'Date' || value === this.#scope.auditId) return;
    for (let before = 0; before < i; before += 2) {
      if (headers[before] !== name) continue;
      this.#response.appendHeader(name, value);
      return;
    }
    this.#response.setHeader(name, value);
  }

  #fail(error: Error): void {
    writeUnavailable(this.#request, this.#response, error);
    this.#done.resolve();
  }
}

/** There was no connection at all. */
export const isUnreachable = (error: Error): boolean =>
  'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'EHOSTUNREACH' || error.code === 'ENOTFOUND');

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestScope } from '../request-scope.ts';
import type { LinkPool, SentStream } from './link/pool.ts';
import { requestHead } from './link/request-head.ts';
import { PassedOnAnswer } from './passed-on-answer.ts';
import { isUnreachable } from './short-exchange.ts';
import { writeUnavailable } from './unavailable.ts';

/** One request on its way to the next server whose answer may be long, or go on for hours: it is passed on as it comes. */
export class StreamingExchange {
  readonly #link: LinkPool;
  readonly #host: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #scope: RequestScope;
  readonly #answer: PassedOnAnswer;
  readonly #done = Promise.withResolvers<void>();
  #sent: SentStream | undefined;
  #over = false;
  #paused = false;

  constructor(link: LinkPool, host: string, request: IncomingMessage, response: ServerResponse, scope: RequestScope) {
    this.#link = link;
    this.#host = host;
    this.#request = request;
    this.#response = response;
    this.#scope = scope;
    this.#answer = new PassedOnAnswer(scope, response);
  }

  /** Resolves when all of the answer has been given to the client's connection, or will not be any more. */
  send(body: Buffer | undefined): Promise<void> {
    try {
      const head = requestHead(this.#request, this.#scope, this.#host, body?.length);
      this.#try(head, body, true);
    } catch (error) {
      this.#fail(asError(error));
    }
    this.#scope.onAbort((reason) => {
      this.#sent?.cancel();
      // Who aborts because it takes too long has an answer of its own.
      setImmediate(() => this.#fail(asError(reason)));
    });
    return this.#done.promise;
  }

  #try(head: string, body: Buffer | undefined, mayRetry: boolean): void {
    this.#sent = this.#link.sendStream({
      head,
      body,
      stream: {
        onHead: ({ status, headers }) => {
          mayRetry = false;
          if (!this.#over) this.#answer.begin(status, headers);
        },
        onData: (bytes) => {
          if (!this.#over && !this.#answer.write(bytes)) this.#pause();
        },
      },
      onResponse: () => {
        if (this.#over) return;
        this.#answer.end();
        this.#finish();
      },
      onFailure: (error, mayHaveArrived) => {
        if (this.#over) return;
        const repeatable = this.#request.method === 'GET' || !mayHaveArrived;
        if (mayRetry && repeatable && !isUnreachable(error)) this.#try(head, body, false);
        else this.#fail(error);
      },
    });
  }

  /** Until the client has taken what it was sent. */
  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#sent?.pause();
    this.#response.once('drain', () => {
      this.#paused = false;
      if (!this.#over) this.#sent?.resume();
    });
  }

  #fail(error: Error): void {
    if (this.#over) return;
    if (!this.#answer.breakOff()) writeUnavailable(this.#request, this.#response, error);
    this.#finish();
  }

  #finish(): void {
    this.#over = true;
    this.#done.resolve();
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

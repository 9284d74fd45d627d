import type { ServerResponse } from 'node:http';
import { keepAnswer, takeNotesOf } from '../audit/relay.ts';
import { DeliveryRounds } from '@apichain/storage';
import type { RequestScope } from '../request-scope.ts';
import { GatheredWrites } from './gathered-writes.ts';
import { writeRawHead } from './raw-head.ts';

/** Events of many watches are written in rounds, as the server that makes them delivers them: a write costs the same for one and for ten. */
const rounds = new DeliveryRounds({
  now: () => performance.now(),
  after: (milliseconds, work) => void (milliseconds > 0 ? setTimeout(work, milliseconds) : setImmediate(work)),
  whenIdle: (work) => work(),
});
const inRounds = (flush: () => void): void => rounds.schedule(flush);

/** An answer of the next server that goes to the client as it comes. */
export class PassedOnAnswer {
  readonly #scope: RequestScope;
  readonly #response: ServerResponse;
  readonly #writes: GatheredWrites;
  /** The answer, for an audit event that has it. */
  #kept: { readonly headers: readonly string[]; readonly chunks: Buffer[] } | undefined;

  constructor(scope: RequestScope, response: ServerResponse) {
    this.#scope = scope;
    this.#response = response;
    this.#writes = scope.longRunning ? new GatheredWrites(response, inRounds) : new GatheredWrites(response);
  }

  /** `headers` is a flat list. */
  begin(status: number, headers: string[]): void {
    if (this.#response.headersSent) return;
    if (takeNotesOf(this.#scope, headers)) this.#kept = { headers, chunks: [] };
    writeRawHead(this.#response, status, headers);
    if (!this.#scope.longRunning) return;
    this.#response.flushHeaders();
    this.#scope.initialized();
  }

  /** Copies the bytes. False = the client does not keep up; `drain` of the response tells when it does. */
  write(bytes: Buffer): boolean {
    this.#kept?.chunks.push(Buffer.from(bytes));
    return this.#writes.write(bytes);
  }

  end(): void {
    if (this.#kept !== undefined) keepAnswer(this.#scope, this.#kept.headers, Buffer.concat(this.#kept.chunks));
    this.#writes.flush();
    this.#response.end();
  }

  /** Nothing more comes. Returns whether the client has had a part, or is gone: then its connection is broken, else it may get another answer. */
  breakOff(): boolean {
    this.#writes.flush();
    const response = this.#response;
    const isOver = response.headersSent || response.writableEnded || response.destroyed;
    if (isOver && !response.writableEnded) response.destroy();
    return isOver;
  }
}

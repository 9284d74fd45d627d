import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Duplex } from 'node:stream';
import { anonymousUser, type UserInfo } from '@apichain/authn';
import type { AuditLevel } from './audit/event.ts';
import { RequestAudit } from './audit/request-audit.ts';
import { standardFormats, type WireFormats } from './negotiation/media-types.ts';
import type { Query } from './negotiation/query.ts';
import type { RequestContext } from './context.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';
import type { ServerRuntime } from './server-runtime.ts';
import { RequestTimes, type TrackTime } from './times/request-times.ts';
import { WarningRecorder } from './warning-recorder.ts';

const scopeKey: unique symbol = Symbol('apichain.requestScope');

declare module 'node:http' {
  interface IncomingMessage {
    [scopeKey]?: RequestScope;
  }
}
declare module 'node:http2' {
  interface Http2ServerRequest {
    [scopeKey]?: RequestScope;
  }
}

/** A connection that requested an upgrade, until a handler takes it over. */
export interface PendingUpgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

const notYet = parseRequestInfo('GET', '/');

/** Everything the filters learn about one request. Handlers see it as a RequestContext. */
export class RequestScope implements RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the request shares with the others of the server that received it. */
  readonly runtime: ServerRuntime;
  /** Milliseconds since the epoch. */
  readonly receivedAt = Date.now();
  /** Milliseconds that authentication took. */
  authenticationMs = 0;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: Query;
  requestInfo: RequestInfo = notYet;
  longRunning = false;
  auditId = '';
  audit: RequestAudit | undefined;
  /** The times of a request that somebody observes. */
  times: RequestTimes | undefined;
  track: TrackTime | undefined;
  wrote: ((revision: number) => void) | undefined;
  user: UserInfo = anonymousUser;
  deadline: number | undefined;
  /** The request came through a front proxy of the chain, which has authorized it. */
  delegated = false;
  /** The request arrived before all paths were installed: an unknown path is then a 503, not a 404. */
  muxIncomplete = false;
  pendingUpgrade: PendingUpgrade | undefined;
  /** The body, if a filter has read it before the handler runs. */
  body: Buffer | undefined;
  /** Has a place among the large requests of its user, or waits for one. A second place of the same request could wait for the first. */
  isLargeWork = false;
  /** Whether it has a place among the large lists of its user. */
  isLargeList = false;
  /** Errors may be CBOR. Set by the endpoints of resources; filters and routers respond with one of the other representations. */
  cborErrors = false;
  /** The chain itself or the owner of the process sent it, past all filters. */
  isInternal = false;
  /** The connection was taken over for an upgrade; the response must no longer be used. */
  taken = false;
  /** Receives the sizes of the events that a watch sends, in bytes. */
  onEvents: ((frames: readonly { readonly length: number }[]) => void) | undefined;
  /** Called when a watch that was asked for the initial events has read the last of them. */
  onInitialEventsEnd: (() => void) | undefined;
  /** The warning of a deprecated API. */
  deprecation: string | undefined;
  /** Called when the connection was taken over. */
  whenTaken: (() => void) | undefined;
  /** Called when a watch has sent its initial events and only waits for new ones. */
  whenInitialized: (() => void) | undefined;
  /** Set by the server: handles an error that no handler has caught. */
  onFailure: ((error: unknown) => void) | undefined;
  /** Set by the server: records an error that does not fail the request. */
  report: (error: unknown) => void = () => undefined;
  readonly #warnings: WarningRecorder;
  readonly #finishers: (() => void)[] = [];
  #finished = false;
  readonly #abortListeners: ((reason: unknown) => void)[] = [];
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #aborted = false;

  constructor(request: IncomingMessage, response: ServerResponse, path: string, query: Query, runtime: ServerRuntime) {
    this.request = request;
    this.response = response;
    this.runtime = runtime;
    this.path = path;
    this.query = query;
    this.#warnings = new WarningRecorder(response);
  }

  get userAgent(): string {
    return this.request.headers['user-agent'] ?? '';
  }

  /** Created on first use, because most requests never need it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** Begins to record what audit events report, at this level at least. */
  noteForAudit(level: AuditLevel): RequestAudit {
    if (this.audit === undefined) this.addTrack((this.audit = new RequestAudit(level)).track);
    this.audit.raise(level);
    return this.audit;
  }

  /** Begins to measure the request in a service, for an observer of requests. */
  measure(service: string): RequestTimes {
    if (this.times !== undefined) return this.times;
    const times = new RequestTimes(service);
    this.addTrack(times.track);
    this.wrote = times.wrote;
    return (this.times = times);
  }

  /** Adds a listener to the times of all parts of the work that end from now on. */
  addTrack(listener: TrackTime): void {
    const { track } = this;
    this.track =
      track === undefined
        ? listener
        : (part, milliseconds) => {
            track(part, milliseconds);
            listener(part, milliseconds);
          };
  }

  warn(text: string): void {
    this.#warnings.add(text);
  }

  /** The work is no longer needed: the deadline has passed, or the client has disconnected. */
  get isAborted(): boolean {
    return this.#aborted;
  }

  /** Ends the request because of an error that no handler has caught, whatever its source. */
  fail(error: unknown): void {
    const { onFailure } = this;
    if (onFailure === undefined) this.response.destroy();
    else onFailure(error);
  }

  /** Wraps a listener of a connection or another shared emitter. An error that it throws fails this request only. */
  guarded<Arguments extends readonly unknown[]>(listener: (...args: Arguments) => void): (...args: Arguments) => void {
    return (...args) => {
      try {
        listener(...args);
      } catch (error) {
        this.fail(error);
      }
    };
  }

  /** Ends the work on the request; `reason` should be a StatusError. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    this.#runAll(this.#abortListeners.splice(0), reason);
  }

  /** Cheaper than the signal where only a callback is needed. Runs at once when the request is already aborted. */
  onAbort(listener: (reason: unknown) => void): void {
    if (this.#aborted) listener(this.#abortReason);
    else this.#abortListeners.push(listener);
  }

  /** Reports that the watch has sent its initial events. */
  initialized(): void {
    const notify = this.whenInitialized;
    this.whenInitialized = undefined;
    notify?.();
  }

  /** Runs the finisher once, when the response has been sent or the connection is closed; at once when that has happened already. */
  onFinish(finisher: () => void): void {
    if (this.#finished) finisher();
    else this.#finishers.push(finisher);
  }

  /** Called by the server when the response closes. */
  finish(): void {
    this.#finished = true;
    this.#runAll(this.#finishers.splice(0), undefined);
  }

  /** A listener that throws does not stop the others, because each of them releases something else. */
  #runAll<Argument>(listeners: readonly ((argument: Argument) => void)[], argument: Argument): void {
    for (const listener of listeners) this.guarded(listener)(argument);
  }
}

/** The scope that the first filter attached. Throws Error when the request did not come through the filters. */
export function scopeOf(request: IncomingMessage): RequestScope {
  const scope = request[scopeKey];
  if (scope === undefined) throw new Error('no request scope found, handler chain must be wrong');
  return scope;
}

/** The scope of a request; undefined for a request that did not arrive through a server of this library. */
export function findScope(request: IncomingMessage | Http2ServerRequest): RequestScope | undefined {
  return request[scopeKey];
}

/** The formats of the server that got the request. */
export const wireFormatsOf = (request: IncomingMessage): WireFormats =>
  findScope(request)?.runtime.formats ?? standardFormats;

/** Makes `scopeOf` find the scope of its request. Called once, by the server. */
export function attachScope(scope: RequestScope): void {
  scope.request[scopeKey] = scope;
}

/** Takes the connection over for a protocol upgrade. The response must not be used afterwards. Undefined = no upgrade was requested. */
export function takeUpgrade(request: IncomingMessage): PendingUpgrade | undefined {
  const scope = scopeOf(request);
  const upgrade = scope.pendingUpgrade;
  if (upgrade === undefined) return undefined;
  scope.pendingUpgrade = undefined;
  scope.taken = true;
  if (scope.response.socket !== null) scope.response.detachSocket(scope.response.socket);
  scope.audit?.upgraded();
  scope.whenTaken?.();
  upgrade.socket.once(
    'close',
    scope.guarded(() => {
      scope.abort(new Error('the connection was closed'));
      scope.finish();
    }),
  );
  return upgrade;
}

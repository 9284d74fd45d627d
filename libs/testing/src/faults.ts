import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeStatusError, type Filter, type RequestScope } from '@apichain/request';
import {
  newBadRequest,
  newConflict,
  newForbidden,
  newInternalError,
  newNotFound,
  newResourceExpired,
  newServiceUnavailable,
  newTimeout,
  newTooManyRequests,
  newUnauthorized,
  optimisticLockMessage,
  StatusError,
} from '@apichain/meta';
import { checkMatch, refuseUnknown, type Names } from './known-names.ts';
import { clientScope, factsOf, matches, type RequestMatch } from './request-match.ts';

/** The effects on matching requests. With several effects, the latency comes first. */
export interface Fault {
  readonly match?: RequestMatch;
  /**
   * The status code of the response, which replaces the normal one: 400, 401, 403, 404, 409, 410, 429, 500, 503, 504 or any other error
   * code. A watch gets 410 as in Kubernetes: as an ERROR event.
   */
  readonly status?: number;
  /** The message of the Status. Default: the message of Kubernetes. */
  readonly message?: string;
  /** The value of Retry-After in seconds, for 429 and 503. Default: 1. */
  readonly retryAfterSeconds?: number;
  /** How long the request is delayed, in milliseconds. */
  readonly latencyMs?: number;
  /** Ends a watch this many milliseconds after its start: with an ERROR event if `status` is set, otherwise by closing the connection. */
  readonly dropWatchAfterMs?: number;
  /** The number of requests that are affected. Default: all, until the fault is removed. */
  readonly times?: number;
}

/** A handle of an added fault. `remove` ends the fault. */
export interface FaultHandle {
  /** The number of requests affected so far. */
  readonly hits: number;
  remove(): void;
}

interface ActiveFault {
  readonly fault: Fault;
  hits: number;
}

/** Throws TypeError that names an unknown option, field of `match`, or verb. */
function checkFault(fault: Fault): void {
  refuseUnknown('a fault', 'option', fault, faultNames);
  if (fault.match !== undefined) checkMatch('a fault', fault.match);
}

const faultNames: Names<Fault> = {
  match: true,
  status: true,
  message: true,
  retryAfterSeconds: true,
  latencyMs: true,
  dropWatchAfterMs: true,
  times: true,
};
/** Injects faults into the requests of clients. Requests of the chain itself are not affected. */
export class Faults {
  readonly #active = new Set<ActiveFault>();

  /**
   * Throws RangeError when the status is not an error code, or when the fault has no effect; TypeError that names an unknown option, field of
   * `match`, or verb.
   */
  add(fault: Fault): FaultHandle {
    checkFault(fault);
    const { status, latencyMs, dropWatchAfterMs } = fault;
    if (status === undefined && latencyMs === undefined && dropWatchAfterMs === undefined)
      throw new RangeError('a fault needs a status, latencyMs or dropWatchAfterMs');
    if (status !== undefined && !(status >= 400 && status <= 599))
      throw new RangeError(`a fault's status must be between 400 and 599, not ${status}`);
    const active: ActiveFault = { fault, hits: 0 };
    this.#active.add(active);
    return {
      get hits() {
        return active.hits;
      },
      remove: () => this.#active.delete(active),
    };
  }

  clear(): void {
    this.#active.clear();
  }

  readonly filter: Filter = (request, response, next) => {
    const scope = this.#active.size === 0 ? undefined : clientScope(request);
    const fault = scope === undefined ? undefined : this.#take(scope);
    if (scope === undefined || fault === undefined) next();
    else inject(fault, { scope, request, response, next });
  };

  /** Returns the first fault that matches, and counts the hit. */
  #take(scope: RequestScope): Fault | undefined {
    const facts = factsOf(scope);
    for (const active of this.#active) {
      const { match = {}, times = Infinity, status, latencyMs } = active.fault;
      if (active.hits >= times || !matches(facts, match)) continue;
      if (facts.verb !== 'watch' && status === undefined && latencyMs === undefined) continue;
      active.hits++;
      return active.fault;
    }
    return undefined;
  }
}

interface Exchange {
  readonly scope: RequestScope;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly next: () => void;
}

function inject(fault: Fault, exchange: Exchange): void {
  const { scope, next } = exchange;
  const { status, latencyMs, dropWatchAfterMs } = fault;
  const serve = () => {
    if (scope.requestInfo.verb === 'watch' && dropWatchAfterMs !== undefined) {
      later(scope, dropWatchAfterMs, () => endWatch(fault, exchange));
      next();
    } else if (status === undefined) next();
    else refuse(fault, status, exchange);
  };
  if (latencyMs === undefined) serve();
  else later(scope, latencyMs, serve);
}

function refuse(fault: Fault, status: number, exchange: Exchange): void {
  const { scope, request, response } = exchange;
  if (scope.requestInfo.verb === 'watch' && status === 410) {
    response.setHeader('content-type', 'application/json');
    endWatch(fault, exchange);
  } else whenRead(request, () => writeStatusError(request, response, errorOf(fault, status, scope)));
}

/** Runs `action` after the body has been read. The server would discard an unread body, but a test may inspect the recorded request. */
function whenRead(request: IncomingMessage, action: () => void): void {
  if (request.readableEnded) action();
  else request.once('end', action).resume();
}

function endWatch(fault: Fault, { scope, response }: Exchange): void {
  const isJson = /^application\/json\b/.test(String(response.getHeader('content-type') ?? ''));
  if (fault.status === undefined || !isJson) {
    response.destroy();
    return;
  }
  response.end(`${JSON.stringify({ type: 'ERROR', object: errorOf(fault, fault.status, scope).status })}\n`);
}

/** Runs `action` after the delay, unless the request has ended by then. */
function later(scope: RequestScope, milliseconds: number, action: () => void): void {
  const timer = setTimeout(action, milliseconds);
  scope.onFinish(() => clearTimeout(timer));
}

function errorOf(fault: Fault, status: number, scope: RequestScope): StatusError {
  const { apiGroup: group, resource, name } = scope.requestInfo;
  const { message, retryAfterSeconds = 1 } = fault;
  const of = { group, resource };
  const known: Readonly<Record<number, () => StatusError>> = {
    400: () => newBadRequest('injected fault'),
    401: () => newUnauthorized(),
    403: () => newForbidden(of, name, 'injected fault'),
    404: () => newNotFound(of, name),
    409: () => newConflict(of, name, optimisticLockMessage),
    410: () => newResourceExpired('The resourceVersion for the provided watch is too old.'),
    429: () => newTooManyRequests('too many requests, please try again later', retryAfterSeconds),
    500: () => newInternalError('injected fault'),
    503: () => newServiceUnavailable('the server is currently unable to handle the request', retryAfterSeconds),
    504: () => newTimeout('request did not complete within the allotted timeout'),
  };
  const error = known[status]?.() ?? new StatusError({ ...newInternalError('injected fault').status, code: status });
  return message === undefined ? error : new StatusError({ ...error.status, message });
}

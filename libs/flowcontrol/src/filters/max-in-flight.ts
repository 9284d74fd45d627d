import { systemPrivilegedGroup } from '@apichain/authn';
import { scopeOf, type RequestScope } from '@apichain/request';
import { writeTextError } from '@apichain/request';
import type { Filter } from '@apichain/request';
import type { RequestKind, RequestLimit } from './request-limit.ts';

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Limits how many short requests run at a time, with separate limits for reads and writes; 0 = no limit. system:masters is never refused. */
export class MaxInFlight implements RequestLimit {
  readonly #limits: { readonly readOnly: number; readonly mutating: number };
  readonly #running = { readOnly: 0, mutating: 0 };
  readonly #onDrop: (scope: RequestScope) => void;

  constructor(limits: { readonly readOnly: number; readonly mutating: number }, onDrop: (scope: RequestScope) => void) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  running(kind: RequestKind): number {
    return this.#running[kind];
  }

  waiting(): number {
    return 0;
  }

  readonly filter: Filter = (request, response, next) => {
    const scope = scopeOf(request);
    if (scope.longRunning) {
      next();
      return;
    }
    const kind = readOnlyVerbs.has(scope.requestInfo.verb) ? 'readOnly' : 'mutating';
    const limit = this.#limits[kind];
    const full = limit > 0 && this.#running[kind] >= limit;
    if (full && !scope.delegated && !scope.user.groups.includes(systemPrivilegedGroup)) {
      this.#onDrop(scope);
      response.setHeader('Retry-After', '1');
      writeTextError(response, 429, 'Too many requests, please try again later.');
      return;
    }
    this.#running[kind]++;
    scope.onFinish(() => this.#running[kind]--);
    next();
  };
}

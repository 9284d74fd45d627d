import { systemPrivilegedGroup } from '@apichain/authn';
import { scopeOf } from '../request-scope.ts';
import { writeTextError } from '../responses.ts';
import type { Filter } from './filter.ts';

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Limits how many short requests run at once, reads and writes apart; 0 = no limit. system:masters is never refused. */
export class MaxInFlight {
  readonly #limits: { readonly readOnly: number; readonly mutating: number };
  readonly #running = { readOnly: 0, mutating: 0 };
  readonly #onDrop: (kind: 'readOnly' | 'mutating') => void;

  constructor(
    limits: { readonly readOnly: number; readonly mutating: number },
    onDrop: (kind: 'readOnly' | 'mutating') => void,
  ) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  running(kind: 'readOnly' | 'mutating'): number {
    return this.#running[kind];
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
      this.#onDrop(kind);
      response.setHeader('Retry-After', '1');
      writeTextError(response, 429, 'Too many requests, please try again later.');
      return;
    }
    this.#running[kind]++;
    scope.onFinish(() => this.#running[kind]--);
    next();
  };
}

import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from './authorizer.ts';

const allowed: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Allows every user to GET these non-resource paths. A trailing `*` matches the rest of the path. */
export class AlwaysAllowPathsAuthorizer implements Authorizer {
  readonly #exact = new Set<string>();
  readonly #prefixes: string[] = [];

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      if (path.endsWith('*')) this.#prefixes.push(path.slice(0, -1));
      else this.#exact.add(path);
    }
  }

  authorize(attributes: AuthorizationAttributes): AuthorizationResult {
    if (attributes.isResourceRequest || (attributes.verb !== 'get' && attributes.verb !== 'head')) return noOpinion;
    if (this.#exact.has(attributes.path)) return allowed;
    return this.#prefixes.some((prefix) => attributes.path.startsWith(prefix)) ? allowed : noOpinion;
  }
}

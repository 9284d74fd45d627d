import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from './authorizer.ts';

const allowed: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Allows everything to members of these groups. kube-apiserver asks this authorizer first, with `system:masters`. */
export class PrivilegedGroupsAuthorizer implements Authorizer {
  readonly #groups: readonly string[];

  constructor(...groups: string[]) {
    this.#groups = groups;
  }

  authorize(attributes: AuthorizationAttributes): AuthorizationResult {
    for (const group of this.#groups) if (attributes.user.groups.includes(group)) return allowed;
    return noOpinion;
  }
}

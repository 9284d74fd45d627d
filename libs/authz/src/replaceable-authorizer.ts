import type { UserInfo } from '@apichain/authn';
import {
  noRules,
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  type RuleList,
} from './authorizer.ts';

/** The current authorizer, which can be replaced while requests are served. */
export class ReplaceableAuthorizer implements Authorizer {
  #current: Authorizer;

  constructor(first: Authorizer) {
    this.#current = first;
  }

  replace(next: Authorizer): void {
    this.#current = next;
  }

  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult {
    return this.#current.authorize(attributes);
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<RuleList> {
    return (await this.#current.rulesFor?.(user, namespace)) ?? noRules;
  }
}

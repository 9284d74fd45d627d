import type { UserInfo } from '@apichain/authn';
import {
  noRules,
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  type RuleList,
} from './authorizer.ts';

/** How many requests an authorizer has allowed and denied. */
interface DecisionCount {
  /** `RBAC`, `Webhook`. */
  readonly type: string;
  readonly name: string;
  allowed: number;
  denied: number;
}

/** Counts the decisions of authorizers, by type and name. One without an opinion is not counted. */
export class AuthorizationDecisions {
  readonly #counts = new Map<string, DecisionCount>();

  /** The authorizer with its decisions counted. One that takes the place of another with the same name goes on with its count. */
  counting(type: string, name: string, authorizer: Authorizer): Authorizer {
    const key = JSON.stringify([type, name]);
    const count = this.#counts.get(key) ?? { type, name, allowed: 0, denied: 0 };
    this.#counts.set(key, count);
    return new CountedAuthorizer(authorizer, count);
  }

  all(): Iterable<Readonly<DecisionCount>> {
    return this.#counts.values();
  }
}

class CountedAuthorizer implements Authorizer {
  readonly #authorizer: Authorizer;
  readonly #count: DecisionCount;

  constructor(authorizer: Authorizer, count: DecisionCount) {
    this.#authorizer = authorizer;
    this.#count = count;
  }

  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult {
    const pending = this.#authorizer.authorize(attributes);
    return pending instanceof Promise ? pending.then((result) => this.#counted(result)) : this.#counted(pending);
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<RuleList> {
    return (await this.#authorizer.rulesFor?.(user, namespace)) ?? noRules;
  }

  #counted(result: AuthorizationResult): AuthorizationResult {
    if (result.decision === 'Allow') this.#count.allowed += 1;
    else if (result.decision === 'Deny') this.#count.denied += 1;
    return result;
  }
}

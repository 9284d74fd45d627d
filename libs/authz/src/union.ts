import type { UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer, RuleList } from './authorizer.ts';

/** Asks authorizers in order; the first Allow or Deny decides. Without either, the reasons and errors of all are joined. */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly Authorizer[];

  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers;
  }

  /** Returns without a promise as long as every authorizer that is asked does. */
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult {
    const opinions: AuthorizationResult[] = [];
    for (let i = 0; i < this.#authorizers.length; i++) {
      const result = this.#authorizers[i]?.authorize(attributes);
      if (result === undefined) continue;
      if (result instanceof Promise) return this.#awaitFrom(result, i, attributes, opinions);
      if (result.decision !== 'NoOpinion') return result;
      opinions.push(result);
    }
    return combine(opinions);
  }

  /** The rules of all authorizers that can list them. */
  async rulesFor(user: UserInfo, namespace: string): Promise<RuleList> {
    const lists: RuleList[] = [];
    for (const each of this.#authorizers) {
      const list = await each.rulesFor?.(user, namespace);
      if (list !== undefined) lists.push(list);
    }
    const errors = lists.flatMap((list) => list.evaluationError ?? []);
    return {
      resourceRules: lists.flatMap((list) => list.resourceRules),
      nonResourceRules: lists.flatMap((list) => list.nonResourceRules),
      incomplete: lists.some((list) => list.incomplete),
      ...(errors.length === 0 ? {} : { evaluationError: errors.length === 1 ? errors[0] : `[${errors.join(', ')}]` }),
    };
  }

  async #awaitFrom(
    first: Promise<AuthorizationResult>,
    position: number,
    attributes: AuthorizationAttributes,
    opinions: AuthorizationResult[],
  ): Promise<AuthorizationResult> {
    let result = await first;
    for (let next = position + 1; ; next++) {
      if (result.decision !== 'NoOpinion') return result;
      opinions.push(result);
      const authorizer = this.#authorizers[next];
      if (authorizer === undefined) return combine(opinions);
      result = await authorizer.authorize(attributes);
    }
  }
}

function combine(opinions: readonly AuthorizationResult[]): AuthorizationResult {
  const reason = opinions
    .map((opinion) => opinion.reason)
    .filter((text) => text !== '')
    .join('\n');
  const errors = opinions.flatMap((opinion) => opinion.evaluationError ?? []);
  if (errors.length === 0) return { decision: 'NoOpinion', reason };
  return { decision: 'NoOpinion', reason, evaluationError: errors.length === 1 ? errors[0] : `[${errors.join(', ')}]` };
}

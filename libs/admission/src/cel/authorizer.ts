import type { UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, Authorizer } from '@apichain/authz';
import {
  PendingAuthorization,
  type AuthorizationDecision,
  type AuthorizationQuery,
  type Authorize,
} from '@apichain/cel';
import { errorMessage } from '@apichain/meta';

const maxAnswers = 1_000;

/**
 * The authorizer for the expressions of one request; each distinct check is made only once. When a decision is asynchronous, the
 * evaluation is aborted with PendingAuthorization and repeated.
 */
export class RequestAuthorizer {
  readonly #authorizer: Authorizer;
  readonly #user: UserInfo;
  readonly #answers = new Map<string, AuthorizationDecision>();

  constructor(authorizer: Authorizer, user: UserInfo) {
    this.#authorizer = authorizer;
    this.#user = user;
  }

  readonly authorize: Authorize = (query) => {
    const key = JSON.stringify(query);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const asked = this.#ask(query);
    if (!(asked instanceof Promise)) return this.#keep(key, asked);
    throw new PendingAuthorization(asked.then((answer) => void this.#keep(key, answer)));
  };

  #keep(key: string, answer: AuthorizationDecision): AuthorizationDecision {
    // A repeated evaluation needs only the decisions of its own expression, and the cost limit keeps their number far below this bound.
    if (this.#answers.size >= maxAnswers) this.#answers.clear();
    this.#answers.set(key, answer);
    return answer;
  }

  #ask(query: AuthorizationQuery): AuthorizationDecision | Promise<AuthorizationDecision> {
    try {
      const result = this.#authorizer.authorize(attributesOf(query, this.#user));
      return result instanceof Promise ? result.then(answerOf, failed) : answerOf(result);
    } catch (error) {
      return failed(error);
    }
  }
}

const answerOf = (result: { decision: string; reason: string; evaluationError?: string }): AuthorizationDecision => ({
  allowed: result.decision === 'Allow',
  reason: result.reason,
  ...(result.evaluationError === undefined ? {} : { error: result.evaluationError }),
});
const failed = (error: unknown): AuthorizationDecision => ({
  allowed: false,
  reason: '',
  error: errorMessage(error),
});

function attributesOf(query: AuthorizationQuery, user: UserInfo): AuthorizationAttributes {
  const { path } = query;
  return {
    user: query.serviceAccount === undefined ? user : serviceAccountUser(query.serviceAccount),
    verb: query.verb,
    isResourceRequest: path === undefined,
    path: path ?? '',
    apiGroup: query.group ?? '',
    apiVersion: path === undefined ? '*' : '',
    resource: query.resource ?? '',
    subresource: query.subresource ?? '',
    namespace: query.namespace ?? '',
    name: query.name ?? '',
    fieldSelector: query.fieldSelector ?? '',
    labelSelector: query.labelSelector ?? '',
  };
}

const serviceAccountUser = ({ namespace, name }: { namespace: string; name: string }): UserInfo => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  uid: '',
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  extra: {},
});

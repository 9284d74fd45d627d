import type { ReviewWebhook } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer, RuleList } from '../authorizer.ts';
import { AnswerCache } from './answer-cache.ts';
import type { MatchConditions } from './match-conditions.ts';
import { reviewSpec } from './review-spec.ts';

export interface WebhookAuthorizerOptions {
  readonly webhook: ReviewWebhook;
  /** `v1` or `v1beta1` of authorization.k8s.io. */
  readonly version: string;
  /** How long answers are kept; 0 = not at all. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** What is decided where the webhook, or its conditions, fail: `NoOpinion` where it is not given. */
  readonly decisionOnError?: 'NoOpinion' | 'Deny';
  /** Of other requests it has no opinion. */
  readonly matchConditions?: MatchConditions;
}

const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Longer questions are not kept: the cache must not grow with what users make up. */
const maxKeptBytes = 10_000;

/**
 * `--authorization-mode=Webhook`: has somebody else decide, with a SubjectAccessReview. Without an answer it has no opinion, or
 * denies, but always an error.
 * https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 */
export class WebhookAuthorizer implements Authorizer {
  readonly #options: WebhookAuthorizerOptions;
  readonly #answers = new AnswerCache();

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options;
  }

  authorize(asked: AuthorizationAttributes): Promise<AuthorizationResult> | AuthorizationResult {
    const { matchConditions } = this.#options;
    if (matchConditions !== undefined) {
      try {
        if (!matchConditions.match(asked)) return noOpinion;
      } catch (error) {
        return this.#failed(error);
      }
    }
    const spec = reviewSpec(asked, this.#options.version);
    const key = JSON.stringify(spec);
    return this.#answers.get(key) ?? this.#ask(spec, key);
  }

  rulesFor(): RuleList {
    return {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    };
  }

  async #ask(spec: Readonly<Record<string, unknown>>, key: string): Promise<AuthorizationResult> {
    const { webhook, version, authorizedTtlMs, unauthorizedTtlMs } = this.#options;
    const review = {
      kind: 'SubjectAccessReview',
      apiVersion: `authorization.k8s.io/${version}`,
      metadata: {},
      spec,
      status: { allowed: false },
    };
    try {
      const result = resultOf(await webhook.status(review));
      const ttl = result.decision === 'Allow' ? authorizedTtlMs : unauthorizedTtlMs;
      if (ttl > 0 && key.length < maxKeptBytes) this.#answers.put(key, result, ttl);
      return result;
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): AuthorizationResult {
    const evaluationError = errorMessage(error);
    return { decision: this.#options.decisionOnError ?? 'NoOpinion', reason: '', evaluationError };
  }
}

function resultOf({ allowed, denied, reason: said }: Readonly<Record<string, unknown>>): AuthorizationResult {
  const reason = typeof said === 'string' ? said : '';
  if (denied === true && allowed === true) {
    const evaluationError = 'webhook subject access review returned both allow and deny response';
    return { decision: 'Deny', reason, evaluationError };
  }
  return { decision: denied === true ? 'Deny' : allowed === true ? 'Allow' : 'NoOpinion', reason };
}

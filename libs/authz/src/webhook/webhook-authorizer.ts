import type { ReviewWebhook } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { asBool, asText } from '@apichain/scheme';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer, RuleList } from '../authorizer.ts';
import type { MatchConditions } from './match-conditions.ts';
import { reviewSpec } from './review-spec.ts';

interface Entry {
  readonly result: AuthorizationResult;
  /** A time of `performance.now()`: the clock of the machine may be set back. */
  readonly until: number;
}

const maxEntries = 1_024;

/** Caches decisions by request, each for its own lifetime. The least recently used entry is evicted first. */
class DecisionCache {
  readonly #entries = new Map<string, Entry>();

  get(key: string): AuthorizationResult | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= performance.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.result;
  }

  put(key: string, result: AuthorizationResult, ttlMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { result, until: performance.now() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}

export interface WebhookAuthorizerOptions {
  readonly webhook: Pick<ReviewWebhook, 'status'>;
  /** `v1` or `v1beta1` of authorization.k8s.io. */
  readonly version: string;
  /** How long Allow decisions are cached; 0 = not at all. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** The decision when the webhook or its conditions fail; `NoOpinion` by default. */
  readonly decisionOnError?: 'NoOpinion' | 'Deny';
  /** The authorizer has no opinion on requests that do not match. */
  readonly matchConditions?: MatchConditions;
}

const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Longer cache keys are not cached, because clients control their length. */
const maxKeptBytes = 10_000;

/**
 * `--authorization-mode=Webhook`: a remote service decides, with a SubjectAccessReview. When the service fails, the authorizer has no opinion or
 * denies, and always reports an error.
 * https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 */
export class WebhookAuthorizer implements Authorizer {
  readonly #options: WebhookAuthorizerOptions;
  readonly #decisions = new DecisionCache();

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
    return this.#decisions.get(key) ?? this.#ask(spec, key);
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
      if (ttl > 0 && key.length < maxKeptBytes) this.#decisions.put(key, result, ttl);
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

/** Throws Error for a member of another type: a verdict that cannot be read is none. */
function resultOf(status: Readonly<Record<string, unknown>>): AuthorizationResult {
  const allowed = asBool(status['allowed']);
  const denied = asBool(status['denied']);
  const reason = asText(status['reason']);
  if (denied && allowed) {
    const evaluationError = 'webhook subject access review returned both allow and deny response';
    return { decision: 'Deny', reason, evaluationError };
  }
  return { decision: denied ? 'Deny' : allowed ? 'Allow' : 'NoOpinion', reason };
}

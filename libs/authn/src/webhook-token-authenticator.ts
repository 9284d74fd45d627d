import type { ReviewWebhook } from '@apichain/client';
import { text, texts } from '@apichain/meta';
import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';
import type { UserInfo } from './user.ts';

type Plain = Readonly<Record<string, unknown>>;
export interface WebhookTokenOptions {
  readonly webhook: Pick<ReviewWebhook, 'status'>;
  /** `v1` or `v1beta1` of authentication.k8s.io. */
  readonly version: string;
  /** The audiences of this API. A token must be valid for one of them when no others are requested. */
  readonly apiAudiences: readonly string[];
}

/**
 * `--authentication-token-webhook-config-file`: a remote service authenticates tokens.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
 */
export class WebhookTokenAuthenticator implements TokenAuthenticator {
  readonly #options: WebhookTokenOptions;

  constructor(options: WebhookTokenOptions) {
    this.#options = options;
  }

  async authenticateToken(token: string, wanted?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const { webhook, version, apiAudiences } = this.#options;
    const audiences = wanted ?? apiAudiences;
    const status = await webhook.status({
      kind: 'TokenReview',
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: {},
      spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
      status: { user: {} },
    });
    const wantedOnes = new Set(audiences);
    const meantFor = audiencesOf(status, apiAudiences).filter((audience) => wantedOnes.has(audience));
    if (audiences.length > 0 && meantFor.length === 0) return undefined;
    if (status['authenticated'] === true) return { user: userOf(status['user']), audiences: meantFor };
    if (typeof status['error'] === 'string' && status['error'] !== '') throw new Error(status['error']);
    return undefined;
  }
}

/** A status without audiences means the audiences of this API. */
function audiencesOf(status: Plain, apiAudiences: readonly string[]): readonly string[] {
  const audiences = texts(status['audiences']);
  return audiences.length === 0 ? apiAudiences : audiences;
}

function userOf(value: unknown): UserInfo {
  const { username, uid, groups, extra } = (value ?? {}) as Partial<Record<string, unknown>>;
  const extras = typeof extra === 'object' && extra !== null ? Object.entries(extra) : [];
  return {
    name: text(username),
    uid: text(uid),
    groups: texts(groups),
    extra: Object.fromEntries(extras.map(([key, values]) => [key, texts(values)])),
  };
}

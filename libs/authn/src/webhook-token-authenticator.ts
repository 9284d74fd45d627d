import type { ReviewWebhook } from '@apichain/client';
import { asBool, asMembers, asText, asTexts } from '@apichain/scheme';
import type { Claims } from './claims.ts';
import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';
import type { UserInfo } from './authenticator.ts';

interface WebhookTokenOptions {
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
    const review = decodeStatus(status);
    const wantedOnes = new Set(audiences);
    // A status without audiences means the audiences of this API.
    const given = review.audiences.length === 0 ? apiAudiences : review.audiences;
    const meantFor = given.filter((audience) => wantedOnes.has(audience));
    if (audiences.length > 0 && meantFor.length === 0) return undefined;
    if (review.isAuthenticated) return { user: review.user, audiences: meantFor };
    if (review.error !== '') throw new Error(review.error);
    return undefined;
  }
}

interface ReviewStatus {
  readonly isAuthenticated: boolean;
  readonly user: UserInfo;
  readonly audiences: readonly string[];
  readonly error: string;
}

/** Throws Error for a member of another type, rather than read a user without name or groups. */
function decodeStatus({ authenticated, user, audiences, error }: Claims): ReviewStatus {
  const { username, uid, groups, extra } = asMembers(user, 'v1.UserInfo');
  const extras = Object.entries(asMembers(extra, 'map[string]v1.ExtraValue'));
  return {
    isAuthenticated: asBool(authenticated),
    user: {
      name: asText(username),
      uid: asText(uid),
      groups: asTexts(groups),
      extra: Object.fromEntries(extras.map(([key, values]) => [key, asTexts(values)])),
    },
    audiences: asTexts(audiences),
    error: asText(error),
  };
}

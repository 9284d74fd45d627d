import type { AuthenticatedToken, TokenAuthenticator } from '../token.ts';
import { accountUser } from './account-user.ts';
import { isSignedBy, parseToken } from './jwt.ts';
import type { TokenAuthenticatorOptions } from './token-authenticator.ts';

const issuer = 'kubernetes/serviceaccount';
const invalidated = 'Token has been invalidated';

export interface LegacyTokenOptions extends Omit<TokenAuthenticatorOptions, 'issuers'> {
  /** `--service-account-lookup`: the Secret must still hold the token. */
  readonly lookup: boolean;
}

/**
 * Tokens without an end that a controller keeps in Secrets of type kubernetes.io/service-account-token. Throws Error when one is not valid.
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#legacy-serviceaccount-token-cleaner
 */
export class LegacyTokenAuthenticator implements TokenAuthenticator {
  readonly #options: LegacyTokenOptions;

  constructor(options: LegacyTokenOptions) {
    this.#options = options;
  }

  async authenticateToken(token: string, asked?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const parsed = parseToken(token);
    if (parsed === undefined || parsed.claims['iss'] !== issuer) return undefined;
    const { keys, apiAudiences, lookup } = this.#options;
    if (!keys.some((key) => isSignedBy(parsed, key))) {
      throw new Error('go-jose/go-jose: error in cryptographic primitive');
    }
    const claim = (name: string): string => {
      const value = parsed.claims[`kubernetes.io/serviceaccount/${name}`];
      if (typeof value === 'string' && value !== '') return value;
      throw new Error(`${name.replace(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase())} claim is missing`);
    };
    const account = {
      namespace: claim('namespace'),
      name: claim('service-account.name'),
      uid: claim('service-account.uid'),
    };
    if (lookup) await this.#checkObjects(account, claim('secret.name'), token);
    const audiences = apiAudiences.filter((audience) => (asked ?? apiAudiences).includes(audience));
    return { user: accountUser(account), audiences };
  }

  async #checkObjects(
    account: { namespace: string; name: string; uid: string },
    secretName: string,
    token: string,
  ): Promise<void> {
    const { objects } = this.#options;
    const secret = await objects.get('secrets', account.namespace, secretName).catch((cause: unknown) => {
      throw new Error(invalidated, { cause });
    });
    const data = secret['data'];
    const stored: unknown = typeof data === 'object' && data !== null && 'token' in data ? data.token : undefined;
    const matches = typeof stored === 'string' && Buffer.from(stored, 'base64').toString('utf8') === token;
    if (!matches || secret.metadata.deletionTimestamp !== undefined) throw new Error(invalidated);
    const { metadata } = await objects.get('serviceaccounts', account.namespace, account.name);
    if (metadata.deletionTimestamp !== undefined) throw new Error('ServiceAccount has been deleted');
    if (metadata.uid !== account.uid) throw new Error('ServiceAccount UID does not match claim');
  }
}

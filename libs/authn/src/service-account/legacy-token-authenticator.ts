import { currentTime, type KubeObject } from '@apichain/meta';
import type { AuthenticatedToken, TokenAuthenticator } from '../token.ts';
import { AuthenticationUnavailableError } from '../unavailable.ts';
import { accountUser } from './account-user.ts';
import { commonAudiences } from './audiences.ts';
import { isSignedBy, parseToken, type ParsedToken } from './jwt.ts';
import type { VerificationKey } from './keys.ts';
import type { TokenSecrets } from './object-lookup.ts';
import type { TokenAuthenticatorOptions } from './token-authenticator.ts';

const issuer = 'kubernetes/serviceaccount';
const invalidated = 'Token has been invalidated';
const lastUsed = 'kubernetes.io/legacy-token-last-used';
const invalidSince = 'kubernetes.io/legacy-token-invalid-since';
const advice = 'Use tokens from the TokenRequest API or manually created secret-based tokens';
const generatedWarning = `${advice} instead of auto-generated secret-based tokens.`;

export interface LegacyTokenOptions extends Omit<TokenAuthenticatorOptions, 'issuers' | 'objects'> {
  readonly objects: TokenSecrets;
  /** `--service-account-lookup`: the Secret must still hold the token. */
  readonly lookup: boolean;
  /** Receives the error when the last use of a token cannot be recorded on its Secret. */
  readonly onLabelError: (error: unknown) => void;
}

/**
 * Tokens without an expiry, which a controller stores in Secrets of type kubernetes.io/service-account-token. Throws Error when such a token is
 * not valid.
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
    const { keys, apiAudiences, lookup, counts } = this.#options;
    await checkSignature(parsed, keys);
    if (counts !== undefined) counts.legacy++;
    const audiences = commonAudiences(apiAudiences, asked ?? apiAudiences);
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
    const origin = lookup ? await this.#checkObjects(account, claim('secret.name'), token) : undefined;
    const user = accountUser(account);
    const { annotations = {}, isGenerated = false } = origin ?? {};
    const auditAnnotations = { 'authentication.k8s.io/legacy-token': user.name, ...annotations };
    return { user: { ...user, auditAnnotations, ...(isGenerated ? { warnings: [generatedWarning] } : {}) }, audiences };
  }

  /** Where the token is kept: the annotation that names the Secret, and whether a controller has made it. */
  async #checkObjects(
    account: { readonly namespace: string; readonly name: string; readonly uid: string },
    secretName: string,
    token: string,
  ): Promise<{ readonly annotations: Readonly<Record<string, string>>; readonly isGenerated: boolean }> {
    const { namespace, name, uid } = account;
    const { objects, counts } = this.#options;
    const secret = await objects.get('secrets', namespace, secretName).catch((cause: unknown) => {
      if (cause instanceof AuthenticationUnavailableError) throw cause;
      throw new Error(invalidated, { cause });
    });
    if (secret.metadata.deletionTimestamp !== undefined) throw new Error(invalidated);
    if (storedToken(secret) !== token) throw new Error("Token does not match server's copy");
    const { metadata, secrets } = await objects.get('serviceaccounts', namespace, name);
    if (metadata.deletionTimestamp !== undefined)
      throw new Error(`ServiceAccount ${namespace}/${name} has been deleted`);
    if (metadata.uid !== uid)
      throw new Error(`ServiceAccount UID (${metadata.uid ?? ''}) does not match claim (${uid})`);
    await this.#noteUse(secret);
    if ((secret.metadata.labels?.[invalidSince] ?? '') !== '') {
      if (counts !== undefined) counts.invalidated++;
      throw new Error(
        `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. ${advice}, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
      );
    }
    const isGenerated = Array.isArray(secrets) && secrets.some((each: { name?: unknown }) => each.name === secretName);
    if (counts !== undefined) counts[isGenerated ? 'generated' : 'manual']++;
    const annotation = `authentication.k8s.io/legacy-token-${isGenerated ? 'autogenerated' : 'manual'}-secret`;
    return { annotations: { [annotation]: secretName }, isGenerated };
  }

  /** The cleaner of such tokens uses the day of their last use. The token stays valid when the day cannot be recorded. */
  async #noteUse(secret: KubeObject): Promise<void> {
    const noted = secret.metadata.labels?.[lastUsed];
    if (noted === day(0) || noted === day(1)) return;
    try {
      await this.#options.objects.labelSecret(secret, { [lastUsed]: day(0) });
    } catch (error) {
      this.#options.onLabelError(error);
    }
  }
}

async function checkSignature(token: ParsedToken, keys: readonly VerificationKey[]): Promise<void> {
  for (const key of keys) if (await isSignedBy(token, key)) return;
  throw new Error('go-jose/go-jose: error in cryptographic primitive');
}

function storedToken(secret: KubeObject): string | undefined {
  const data = secret['data'];
  const stored: unknown = typeof data === 'object' && data !== null && 'token' in data ? data.token : undefined;
  return typeof stored === 'string' ? Buffer.from(stored, 'base64').toString('utf8') : undefined;
}

/**
 * The current day in UTC, or a day that many days later. A whole day, so that servers whose clocks differ a little do not overwrite each other.
 */
const day = (later: number): string => new Date(currentTime() + later * 86_400_000).toISOString().slice(0, 10);

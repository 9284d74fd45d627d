import { currentTime, type KubeObject } from '@apichain/meta';
import type { AuthenticatedToken, TokenAuthenticator } from '../token.ts';
import { accountUser } from './account-user.ts';
import { commonAudiences } from './audiences.ts';
import { type BoundObject, decodeClaims, type TokenClaims } from './claims.ts';
import { isSignedBy, type ParsedToken, parseToken } from './jwt.ts';
import { AuthenticationUnavailableError } from '../unavailable.ts';
import type { VerificationKey } from './keys.ts';
import type { TokenObjects } from './object-lookup.ts';
import type { ServiceAccountTokenCounts } from './token-counts.ts';

export interface TokenAuthenticatorOptions {
  /** `--service-account-issuer`, all of them. */
  readonly issuers: readonly string[];
  readonly keys: readonly VerificationKey[];
  /** The required audiences when a request does not ask for others. */
  readonly apiAudiences: readonly string[];
  readonly objects: TokenObjects;
  /** Counts the uses of tokens. */
  readonly counts?: ServiceAccountTokenCounts;
}

/** Seconds of tolerance for clock differences and for deleted objects. */
const leeway = 60;
const invalidated = 'service account token has been invalidated';

/**
 * Tokens that `serviceaccounts/token` issues. A token is valid when one of the keys has signed it, its times and audience fit, and its account and
 * the objects that it is bound to still exist. Throws Error with the reason when such a token is not valid.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens
 */
export class ServiceAccountTokenAuthenticator implements TokenAuthenticator {
  readonly #options: TokenAuthenticatorOptions;
  readonly #issuers: ReadonlySet<string>;

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options;
    this.#issuers = new Set(options.issuers);
  }

  async authenticateToken(token: string, asked?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const parsed = parseToken(token);
    if (parsed === undefined) return undefined;
    const claims = decodeClaims(parsed.claims);
    if (!this.#issuers.has(claims.issuer)) return undefined;
    await checkSignature(parsed, this.#options.keys);
    const { apiAudiences, counts } = this.#options;
    if (counts !== undefined && claims.audiences.length === 0) counts.legacy++;
    const wanted = asked ?? apiAudiences;
    const own = claims.audiences.length === 0 ? apiAudiences : claims.audiences;
    const audiences = commonAudiences(own, wanted);
    const now = currentTime() / 1000;
    checkTimes(claims, now);
    await this.#checkObjects(claims, now);
    const { namespace, serviceaccount, pod, node } = claims.kubernetes;
    const user = accountUser({
      namespace,
      name: serviceaccount.name,
      uid: serviceaccount.uid ?? '',
      ...(pod === undefined ? {} : { pod }),
      ...(node === undefined ? {} : { node }),
      tokenId: claims.id,
    });
    const { warnafter } = claims.kubernetes;
    const isStale = warnafter !== undefined && now > warnafter;
    if (counts !== undefined && (warnafter ?? 0) !== 0) counts[isStale ? 'stale' : 'valid']++;
    const expiry = claims.expires === 0 ? {} : { expiresAt: claims.expires * 1000 };
    if (!isStale) return { user, audiences, ...expiry };
    const stale = `subject: ${user.name}, seconds after warning threshold: ${Math.floor(now - warnafter)}`;
    return {
      user: { ...user, auditAnnotations: { 'authentication.k8s.io/stale-token': stale } },
      audiences,
      ...expiry,
    };
  }

  async #checkObjects({ kubernetes }: TokenClaims, now: number): Promise<void> {
    const { namespace, serviceaccount, secret, pod, node } = kubernetes;
    const account = await this.#options.objects.get('serviceaccounts', namespace, serviceaccount.name);
    const uid = account.metadata.uid ?? '';
    if (uid !== serviceaccount.uid) {
      throw new Error(`service account UID (${uid}) does not match claim (${serviceaccount.uid ?? ''})`);
    }
    checkAlive(account, now);
    if (secret !== undefined) await this.#checkBound('secret', namespace, secret, now);
    if (pod !== undefined) await this.#checkBound('pod', namespace, pod, now);
    // The node of a pod is only informative: the token is bound to the pod.
    if (node !== undefined && pod === undefined) await this.#checkBound('node', '', node, now);
  }

  async #checkBound(
    kind: 'secret' | 'pod' | 'node',
    namespace: string,
    bound: BoundObject,
    now: number,
  ): Promise<void> {
    const object = await this.#options.objects.get(`${kind}s`, namespace, bound.name).catch((cause: unknown) => {
      if (cause instanceof AuthenticationUnavailableError) throw cause;
      throw new Error(invalidated, { cause });
    });
    const uid = object.metadata.uid ?? '';
    if (uid !== bound.uid) {
      throw new Error(`${kind} UID (${uid}) does not match service account ${kind} ref claim (${bound.uid ?? ''})`);
    }
    checkAlive(object, now);
  }
}

async function checkSignature(token: ParsedToken, keys: readonly VerificationKey[]): Promise<void> {
  const { kid } = token.header;
  const candidates = typeof kid === 'string' && kid !== '' ? keys.filter(({ id }) => id === kid) : keys;
  if (candidates.length === 0) throw new Error('invalid signature, no keys found');
  for (const key of candidates) if (await isSignedBy(token, key)) return;
  throw new Error('go-jose/go-jose: error in cryptographic primitive');
}

function checkTimes({ expires, notBefore, issuedAt }: TokenClaims, now: number): void {
  if (notBefore !== 0 && now + leeway < notBefore) throw new Error('service account token is not valid yet');
  if (expires !== 0 && now - leeway > expires) throw new Error('service account token has expired');
  if (issuedAt !== 0 && now + leeway < issuedAt) throw new Error('service account token is issued in the future');
}

function checkAlive({ metadata }: KubeObject, now: number): void {
  const { deletionTimestamp } = metadata;
  if (typeof deletionTimestamp !== 'string') return;
  if (Date.parse(deletionTimestamp) / 1000 < now - leeway) throw new Error(invalidated);
}

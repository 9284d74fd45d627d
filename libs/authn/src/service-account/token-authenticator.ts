import { currentTime, type KubeObject } from '@apichain/meta';
import type { AuthenticatedToken, TokenAuthenticator } from '../token.ts';
import { accountUser } from './account-user.ts';
import { type BoundObject, decodeKubernetesClaims, type KubernetesClaims, type RegisteredClaims } from './claims.ts';
import { AuthenticationUnavailableError } from '../unavailable.ts';
import type { TokenObjects } from './object-lookup.ts';
import { type SignedTokenOptions, SignedTokens } from './signed-tokens.ts';

interface TokenAuthenticatorOptions extends SignedTokenOptions {
  /** `--service-account-issuer`, all of them. */
  readonly issuers: readonly string[];
  readonly objects: TokenObjects;
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
  readonly #tokens: SignedTokens<KubernetesClaims>;

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options;
    this.#tokens = new SignedTokens(options.issuers, options, decodeKubernetesClaims);
  }

  async authenticateToken(token: string, wanted?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const verified = await this.#tokens.verify(token, wanted);
    if (verified === undefined) return undefined;
    const { registered, own, audiences, auditAnnotations } = verified;
    const now = currentTime() / 1000;
    checkTimes(registered, now);
    await this.#checkObjects(own, now);
    const { namespace, serviceaccount, pod, node, warnafter = 0 } = own;
    const user = accountUser({
      namespace,
      name: serviceaccount.name,
      uid: serviceaccount.uid ?? '',
      pod,
      node,
      tokenId: registered.id,
    });
    const isStale = warnafter !== 0 && now > warnafter;
    const { counts } = this.#options;
    if (counts !== undefined && warnafter !== 0) counts[isStale ? 'stale' : 'valid']++;
    const stale = `subject: ${registered.subject}, seconds after warning threshold: ${Math.floor(now - warnafter)}`;
    const annotations = { ...auditAnnotations, ...(isStale ? { 'authentication.k8s.io/stale-token': stale } : {}) };
    return {
      user: Object.keys(annotations).length === 0 ? user : { ...user, auditAnnotations: annotations },
      audiences,
      ...(registered.expires === undefined ? {} : { expiresAt: registered.expires * 1000 }),
    };
  }

  async #checkObjects(claims: KubernetesClaims, now: number): Promise<void> {
    const { namespace, serviceaccount, secret, pod, node } = claims;
    const account = await this.#options.objects.get('serviceaccounts', namespace, serviceaccount.name);
    const uid = account.metadata.uid ?? '';
    if (uid !== serviceaccount.uid) {
      throw new Error(`service account UID (${uid}) does not match claim (${serviceaccount.uid ?? ''})`);
    }
    if (isDeleted(account, now))
      throw new Error(`service account ${namespace}/${serviceaccount.name} has been deleted`);
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
    if (isDeleted(object, now)) throw new Error(invalidated);
  }
}

function checkTimes({ expires, notBefore, issuedAt }: RegisteredClaims, now: number): void {
  if (notBefore !== undefined && now + leeway < notBefore) throw new Error('service account token is not valid yet');
  if (expires !== undefined && now - leeway > expires) throw new Error('service account token has expired');
  if (issuedAt !== undefined && now + leeway < issuedAt)
    throw new Error('service account token is issued in the future');
}

function isDeleted({ metadata: { deletionTimestamp } }: KubeObject, now: number): boolean {
  return typeof deletionTimestamp === 'string' && Date.parse(deletionTimestamp) / 1000 < now - leeway;
}

import { asMembers, asText, isAbsent } from '@apichain/scheme';
import { type Claims, wholeSeconds } from '../claims.ts';

/** An object that a token is bound to. */
export interface BoundObject {
  readonly name: string;
  readonly uid?: string;
}

/** The claims about the account of a token, under `kubernetes.io`. */
export interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: BoundObject;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
  /** Seconds since the epoch. Later use of the token is reported: the token lives longer than was requested. */
  readonly warnafter?: number;
}

/** The registered claims of a token (RFC 7519, section 4.1). Times in whole seconds since the epoch; undefined = the token has no such limit. */
export interface RegisteredClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly issuedAt: number | undefined;
  readonly notBefore: number | undefined;
  readonly expires: number | undefined;
  readonly id: string;
}

/** The claims of a token that is stored in a Secret, under `kubernetes.io/serviceaccount/`. */
export interface StoredTokenClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUID: string;
}

/** https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#schema-for-service-account-private-claims */
export const encodeClaims = (claims: RegisteredClaims, account: KubernetesClaims): Record<string, unknown> => ({
  aud: [...claims.audiences],
  exp: claims.expires,
  iat: claims.issuedAt,
  iss: claims.issuer,
  jti: claims.id,
  'kubernetes.io': account,
  nbf: claims.notBefore,
  sub: claims.subject,
});

/** Throws Error for a claim of another type, as jwt.Claims of go-jose does. */
export function decodeRegisteredClaims(claims: Claims): RegisteredClaims {
  return {
    audiences: claims['aud'] === undefined ? [] : audiencesOf(claims['aud']),
    expires: dateOf(claims['exp']),
    notBefore: dateOf(claims['nbf']),
    issuedAt: dateOf(claims['iat']),
    issuer: asText(claims['iss']),
    subject: asText(claims['sub']),
    id: asText(claims['jti']),
  };
}

/** Throws Error for a claim of another type. */
export function decodeKubernetesClaims(claims: Claims): KubernetesClaims {
  const own = asMembers(claims['kubernetes.io'], 'serviceaccount.kubernetes');
  const warnafter = dateOf(own['warnafter']);
  const bound = (['pod', 'secret', 'node'] as const).flatMap((kind) =>
    isAbsent(own[kind]) ? [] : [[kind, boundObject(own[kind])] as const],
  );
  return {
    namespace: asText(own['namespace']),
    serviceaccount: boundObject(own['serviceaccount']),
    ...Object.fromEntries(bound),
    ...(warnafter === undefined ? {} : { warnafter }),
  };
}

/** Throws Error for a claim of another type. */
export function decodeStoredTokenClaims(claims: Claims): StoredTokenClaims {
  const claim = (name: string): string => asText(claims[`kubernetes.io/serviceaccount/${name}`]);
  return {
    namespace: claim('namespace'),
    secretName: claim('secret.name'),
    serviceAccountName: claim('service-account.name'),
    serviceAccountUID: claim('service-account.uid'),
  };
}

/** Null is no audience, and no item of a list of audiences: unlike elsewhere, it is not the same as an absent value. */
function audiencesOf(value: unknown): string[] {
  const audiences: unknown[] = Array.isArray(value) ? value : [value];
  if (audiences.every((audience) => typeof audience === 'string')) return audiences;
  throw new Error('go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience');
}

/** Numbers too large for a double, which JSON.parse reads as infinite, are none. */
function dateOf(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return wholeSeconds(value);
  throw new Error('go-jose/go-jose/jwt: expected number value to unmarshal NumericDate');
}

function boundObject(value: unknown): BoundObject {
  const { name, uid } = asMembers(value, 'serviceaccount.ref');
  return { name: asText(name), uid: asText(uid) };
}

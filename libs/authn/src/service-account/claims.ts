import { record, text } from '@apichain/meta';

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

/** The claims of a token. Times in seconds since the epoch. */
export interface TokenClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expires: number;
  readonly id: string;
  readonly kubernetes: KubernetesClaims;
}

/** https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#schema-for-service-account-private-claims */
export const encodeClaims = (claims: TokenClaims): Record<string, unknown> => ({
  aud: [...claims.audiences],
  exp: claims.expires,
  iat: claims.issuedAt,
  iss: claims.issuer,
  jti: claims.id,
  'kubernetes.io': claims.kubernetes,
  nbf: claims.notBefore,
  sub: claims.subject,
});

const seconds = (value: unknown): number => (typeof value === 'number' ? value : 0);
const audiencesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');

function boundObject(value: unknown): BoundObject | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, uid } = record(value);
  return { name: text(name), uid: text(uid) };
}

export function decodeClaims(claims: Readonly<Record<string, unknown>>): TokenClaims {
  const own = record(claims['kubernetes.io']);
  const bound = (['pod', 'secret', 'node'] as const).flatMap((kind) => {
    const object = boundObject(own[kind]);
    return object === undefined ? [] : [[kind, object] as const];
  });
  return {
    issuer: text(claims['iss']),
    subject: text(claims['sub']),
    audiences: audiencesOf(claims['aud']),
    issuedAt: seconds(claims['iat']),
    notBefore: seconds(claims['nbf']),
    expires: seconds(claims['exp']),
    id: text(claims['jti']),
    kubernetes: {
      namespace: text(own['namespace']),
      serviceaccount: boundObject(own['serviceaccount']) ?? { name: '' },
      ...Object.fromEntries(bound),
      ...(typeof own['warnafter'] === 'number' ? { warnafter: own['warnafter'] } : {}),
    },
  };
}

import { randomUUID } from 'node:crypto';
import { serviceAccountPrefix } from '../well-known.ts';
import { encodeClaims, type KubernetesClaims } from './claims.ts';
import { signToken } from './jwt.ts';
import type { SigningKey } from './keys.ts';

export interface TokenIssuerOptions {
  /** `--service-account-issuer`, the first. */
  readonly issuer: string;
  readonly key: SigningKey;
  /** Whom tokens are for that name nobody. */
  readonly apiAudiences: readonly string[];
  /** Seconds; 0 = no limit. */
  readonly maxExpirationSeconds: number;
  /** Whether tokens of kubelets for pods live for a year, as the transition from unlimited ones needs. */
  readonly extendExpiration: boolean;
}

export interface IssuedToken {
  readonly account: KubernetesClaims;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  /** Seconds. */
  readonly lifetime: number;
  /** The `jti`; one is made when it is absent. */
  readonly id?: string;
}

/** Signs tokens of service accounts. */
export class ServiceAccountTokenIssuer {
  readonly options: TokenIssuerOptions;

  constructor(options: TokenIssuerOptions) {
    this.options = options;
  }

  issue({ account, audiences, issuedAt, lifetime, id = randomUUID() }: IssuedToken): Promise<string> {
    const { issuer, key } = this.options;
    const claims = encodeClaims({
      issuer,
      subject: `${serviceAccountPrefix}${account.namespace}:${account.serviceaccount.name}`,
      audiences,
      issuedAt,
      notBefore: issuedAt,
      expires: issuedAt + lifetime,
      id,
      kubernetes: account,
    });
    return signToken(key, claims);
  }
}

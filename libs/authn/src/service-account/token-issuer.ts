import { randomUUID } from 'node:crypto';
import { serviceAccountPrefix } from '../well-known.ts';
import { encodeClaims, type KubernetesClaims } from './claims.ts';
import { signToken } from './jwt.ts';
import type { SigningKey } from './keys.ts';

interface TokenIssuerOptions {
  /** The first `--service-account-issuer`. */
  readonly issuer: string;
  readonly key: SigningKey;
  /** The audiences of tokens for which none are requested. */
  readonly apiAudiences: readonly string[];
  /** Seconds; 0 = no limit. */
  readonly maxExpirationSeconds: number;
  /** Whether pod tokens requested by kubelets live for a year, which eases the migration from tokens without expiry. */
  readonly extendExpiration: boolean;
}

interface IssuedToken {
  readonly account: KubernetesClaims;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  /** Seconds. */
  readonly lifetime: number;
  /** The `jti`; generated when absent. */
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
    const registered = {
      issuer,
      subject: `${serviceAccountPrefix}${account.namespace}:${account.serviceaccount.name}`,
      audiences,
      issuedAt,
      notBefore: issuedAt,
      expires: issuedAt + lifetime,
      id,
    };
    return signToken(key, encodeClaims(registered, account));
  }
}

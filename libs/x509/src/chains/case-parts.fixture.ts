import { attribute, extensions, nameOf, type KeyType, type SignatureName } from './certificate.fixture.ts';
import type { Der } from './der-writer.fixture.ts';

/** One certificate of a case. What is not given is as in an ordinary certificate. */
export interface CertificateCase {
  /** The issuer's name in the case; default: an authority that all cases share. Its own name = self-signed. */
  readonly by?: string;
  /** Whether the authenticator trusts it. */
  readonly isTrusted?: boolean;
  readonly key?: KeyType;
  /** Has the name and key of another certificate of the case. */
  readonly sameAs?: string;
  /** Has the name of another certificate of the case. */
  readonly namedAs?: string;
  /** Names in place of its own and the issuer's. */
  readonly subject?: Der;
  readonly issuer?: Der;
  /** Days from now. Default: a day ago, and in a day. */
  readonly from?: number;
  readonly to?: number;
  /** Its end as it stands in the certificate. */
  readonly end?: Der;
  readonly version?: number;
  readonly serial?: Der;
  readonly signature?: SignatureName;
  /** Signed with a key that is not the issuer's. */
  readonly isForged?: boolean;
  readonly extensions?: readonly Der[];
  /** So many certificates of this kind, each with its own key. */
  readonly count?: number;
}

/** A chain that a client presents, and what kube-apiserver 1.36 thinks of it. */
export interface ChainCase {
  readonly name: string;
  /** Found by tools/compatibility/certificate-chains.ts. */
  readonly isAccepted: boolean;
  readonly certificates: Readonly<Record<string, CertificateCase>>;
  /** The names of what the client presents, its own certificate first. Default: all that are not trusted, in order. */
  readonly presents?: readonly string[];
}

const { ca, usages, names, nameConstraints } = extensions;

/** Extended key usages. */
export const usageTypes = {
  client: '1.3.6.1.5.5.7.3.2',
  server: '1.3.6.1.5.5.7.3.1',
  any: '2.5.29.37.0',
  other: '1.2.3.4',
} as const;
/** For clients. */
export const client = usages(false, usageTypes.client);
/** A name with one organization. */
export const org = (name: string): Der => nameOf(attribute('O', name));

type Certificates = Readonly<Record<string, CertificateCase>>;

/** An intermediate of the shared authority. */
export const issuer: CertificateCase = { extensions: [ca()] };
/** A client certificate by it. */
export const leaf: CertificateCase = { by: 'issuer', extensions: [client] };
/** A client certificate, and an intermediate with further extensions. */
export const withIssuer = (...more: readonly Der[]): Certificates => ({
  leaf,
  issuer: { extensions: [ca(), ...more] },
});
/** A client certificate with these names, and an intermediate with these name constraints. */
export const constrained = (
  permitted: readonly Der[],
  excluded: readonly Der[],
  ...has: readonly Der[]
): Certificates => ({
  leaf: { by: 'issuer', extensions: [client, ...(has.length === 0 ? [] : [names(...has)])] },
  issuer: { extensions: [ca(), nameConstraints(permitted, excluded)] },
});
/** A client certificate of the shared authority. */
export const direct = (changes: CertificateCase): Certificates => ({
  leaf: { extensions: [client], ...changes },
});
/** A trusted certificate of the name `root` that has signed itself. */
export const ownRoot = (changes: CertificateCase): CertificateCase => ({
  by: 'root',
  isTrusted: true,
  extensions: [ca()],
  ...changes,
});
/** A client certificate by such a root. */
export const below = (root: CertificateCase): Certificates => ({
  leaf: { by: 'root', extensions: [client] },
  root: ownRoot(root),
});

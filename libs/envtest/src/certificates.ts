import { generateKeyPair, X509Certificate } from 'node:crypto';
import { commonName } from '@apichain/authn';
import { promisify } from 'node:util';
import { createCA, issueClient, issueServing, type CertificatePair } from '@apichain/serving/certificates';

/** A certificate and its key, as PEM texts. */
export interface CertKeyPair {
  certPem: string;
  keyPem: string;
}

/** An RSA key for the tokens of service accounts, as PEM texts. */
export interface ServiceAccountKeys {
  privateKeyPem: string;
  publicKeyPem: string;
}

const pairOf = ({ certificate, key }: CertificatePair): CertKeyPair => ({ certPem: certificate, keyPem: key });

/** A certificate authority for tests. */
export class TinyCA {
  readonly #pair: CertificatePair;

  private constructor(pair: CertificatePair) {
    this.#pair = pair;
  }

  static async create(commonName = 'envtest-environment-ca'): Promise<TinyCA> {
    return new TinyCA(await createCA(commonName));
  }

  /** PEM text. */
  get certificatePem(): string {
    return this.#pair.certificate;
  }

  /** A certificate of a client; its groups are the organizations. */
  async newClientCert(commonName: string, organizations: string[] = []): Promise<CertKeyPair> {
    return pairOf(await issueClient(this.#pair, commonName, organizations));
  }

  /** A certificate of a server for host names and addresses. Default: those of loopback. Names are not resolved to addresses. */
  async newServingCert(...names: string[]): Promise<CertKeyPair> {
    const given = names.filter((name) => name !== '');
    const hosts = given.length === 0 ? ['localhost', '127.0.0.1', '::1'] : given;
    return pairOf(await issueServing(this.#pair, hosts[0]?.slice(0, 64) ?? '', hosts));
  }
}

/** The user name of a client certificate, which is its common name. Empty without one. Throws Error for a text that is no certificate. */
export function certificateCommonName(certPem: string): string {
  return commonName(new X509Certificate(certPem));
}

/** Makes a key with which service account tokens can be signed. */
export async function generateServiceAccountKeys(): Promise<ServiceAccountKeys> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { privateKeyPem: privateKey, publicKeyPem: publicKey };
}

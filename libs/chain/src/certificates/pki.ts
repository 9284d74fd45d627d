import { chownSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { type CertificatePair, createCA, issueClient, issueServing } from '@apichain/serving/certificates';
import { errorMessage, makeDirectory } from '@apichain/meta';
import { StartupError } from '../startup-error.ts';
import { writeWholeFile } from '../whole-file.ts';
import { type ServiceName, services } from './services.ts';
import { ensureSigningKey } from './signing-key.ts';

const frontProxyUser = 'front-proxy-client';

/** The directory of the certificates, and the names in the serving certificates. */
export interface PkiOptions {
  readonly directory: string;
  /** Additional names and addresses of the serving certificates, e.g. the bind address. */
  readonly hosts: readonly string[];
  /** The first address of the service range, which is the API's address inside a cluster. */
  readonly clusterAddress?: string;
  /** The services that get a serving certificate. Default: all. */
  readonly services?: readonly ServiceName[];
  /** The owner of the files (`chown`), if it is another user. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

const renewBeforeMs = 30 * 24 * 3_600_000;
const standardHosts = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/**
 * Creates those of the chain's certificates that are missing or about to expire: a CA for servers and clients, a CA for the front proxy, a serving
 * certificate for each service, the client certificates of the front proxy and of the administrator, and the key pair of service account tokens.
 * Throws StartupError when a file exists but cannot be used.
 */
export async function ensurePki(options: PkiOptions): Promise<void> {
  makeDirectory(options.directory);
  const pki = new PkiDirectory(options);
  ensureSigningKey(options.directory, options.owner);
  const ca = await pki.ensure('ca', () => createCA('apichain-ca'));
  const frontProxyCa = await pki.ensure('front-proxy-ca', () => createCA('apichain-front-proxy-ca'));
  const hosts = [
    ...new Set([
      ...standardHosts,
      ...(options.clusterAddress === undefined ? [] : [options.clusterAddress]),
      ...options.hosts,
    ]),
  ];
  await Promise.all([
    pki.ensure(frontProxyUser, () => issueClient(frontProxyCa, frontProxyUser), { issuer: frontProxyCa }),
    pki.ensure('admin', () => issueClient(ca, 'kubernetes-admin', ['system:masters']), { issuer: ca }),
    ...(options.services ?? services).map((service) =>
      pki.ensure(service, () => issueServing(ca, service, hosts), { issuer: ca, hosts }),
    ),
  ]);
}

class PkiDirectory {
  readonly #options: PkiOptions;
  constructor(options: PkiOptions) {
    this.#options = options;
  }

  async ensure(
    name: string,
    make: () => Promise<CertificatePair>,
    needs: { issuer?: CertificatePair; hosts?: readonly string[] } = {},
  ): Promise<CertificatePair> {
    const { directory, owner } = this.#options;
    const files = { certificate: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) };
    const existing = this.#read(files);
    if (existing !== undefined && isFit(existing, needs)) return existing;
    const pair = await make();
    // The certificate is removed first: after an interruption, an incomplete pair is created again, but a certificate and key that do not match are
    // an error.
    rmSync(files.certificate, { force: true });
    writeWholeFile(files.key, pair.key, 0o600);
    writeWholeFile(files.certificate, pair.certificate, 0o644);
    if (owner !== undefined) for (const file of Object.values(files)) chownSync(file, owner.uid, owner.gid);
    return pair;
  }

  #read(files: { certificate: string; key: string }): CertificatePair | undefined {
    if (!existsSync(files.certificate) || !existsSync(files.key)) return undefined;
    try {
      const pair = { certificate: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') };
      if (new X509Certificate(pair.certificate).checkPrivateKey(createPrivateKey(pair.key))) return pair;
    } catch (error) {
      throw new StartupError(
        `${files.certificate} and its key cannot be used (${errorMessage(error)}): remove both to have them made anew`,
      );
    }
    throw new StartupError(`${files.key} is not the key of ${files.certificate}: remove both to have them made anew`);
  }
}

function isFit(pair: CertificatePair, needs: { issuer?: CertificatePair; hosts?: readonly string[] }): boolean {
  const certificate = new X509Certificate(pair.certificate);
  if (certificate.validToDate.getTime() - Date.now() < renewBeforeMs) return false;
  if (needs.issuer !== undefined && !certificate.verify(new X509Certificate(needs.issuer.certificate).publicKey))
    return false;
  return (needs.hosts ?? []).every((host) =>
    /^[\d.]+$|:/.test(host) ? certificate.checkIP(host) !== undefined : certificate.checkHost(host) !== undefined,
  );
}

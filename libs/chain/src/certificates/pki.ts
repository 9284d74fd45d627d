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

/** Where `ensurePki` keeps certificates, and what the serving certificates are valid for. */
export interface PkiOptions {
  readonly directory: string;
  /** Further names and addresses of the serving certificates, e.g. the bind address. */
  readonly hosts: readonly string[];
  /** First address of the service range, at which the API is known inside a cluster. */
  readonly clusterAddress?: string;
  /** Which services get a serving certificate; default: all. */
  readonly services?: readonly ServiceName[];
  /** Who owns the files (`chown`), where that is another user. */
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
 * Makes what is missing of the chain's certificates, or about to expire: an authority for servers and clients, one for the front
 * proxy, a serving certificate a service, the front proxy's and the administrator's client certificates, and the key pair of service
 * account tokens.
 * Throws StartupError when a file is there but cannot be used.
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
    // A pair that is not there as a whole is made anew; one whose halves differ would not be.
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

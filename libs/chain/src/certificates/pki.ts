import { execFile } from 'node:child_process';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { chownSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage, makeDirectory } from '@apichain/meta';
import { certificateFiles, readCertificatePair, type CertificateFiles } from '@apichain/serving/certificate-files';
import { createCA, issueClient, issueServing, type CertificatePair } from '@apichain/serving/certificates';
import { simulationHosts } from '../certificate-flags.ts';
import { compileCacheEnvironment } from '../compile-cache.ts';
import { StartupError } from '../startup-error.ts';
import { writeWholeFile } from '../whole-file.ts';
import { services, type PkiOptions } from './pki-options.ts';
import { ensureSigningKey } from './signing-key.ts';

const frontProxyUser = 'front-proxy-client';
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
 *
 * Certificates are made in a process of their own: the library that makes them takes 13 MB, which would stay with this process.
 */
export async function ensurePki(options: PkiOptions): Promise<void> {
  makeDirectory(options.directory);
  ensureSigningKey(options.directory, options.owner);
  if (isComplete(options)) return;
  if (options.inThisProcess !== true && (await makeInOwnProcess(options))) return;
  await makePki(options);
}

/** Creates what is missing, in this process. Throws StartupError as `ensurePki` does. */
export async function makePki(options: PkiOptions): Promise<void> {
  const pki = new PkiDirectory(options);
  const issuers = {
    ca: await pki.ensure('ca', () => createCA('apichain-ca')),
    'front-proxy-ca': await pki.ensure('front-proxy-ca', () => createCA('apichain-front-proxy-ca')),
  };
  await Promise.all(
    issuedCertificates(options).map(({ name, issuer: by, issue, hosts }) => {
      const issuer = issuers[by];
      return pki.ensure(name, () => issue(issuer), { issuer, hosts });
    }),
  );
}

/** Whether every certificate is there and will not expire soon. */
function isComplete(options: PkiOptions): boolean {
  const pki = new PkiDirectory(options);
  const [ca, frontProxyCa] = [pki.existing('ca'), pki.existing('front-proxy-ca')];
  if (ca === undefined || frontProxyCa === undefined) return false;
  const issuers = { ca, 'front-proxy-ca': frontProxyCa };
  return issuedCertificates(options).every(
    ({ name, issuer: by, hosts }) => pki.existing(name, { issuer: issuers[by], hosts }) !== undefined,
  );
}

interface IssuedCertificate {
  readonly name: string;
  readonly issuer: 'ca' | 'front-proxy-ca';
  readonly issue: (issuer: CertificatePair) => Promise<CertificatePair>;
  /** The names and addresses that the certificate must be valid for. */
  readonly hosts?: readonly string[];
}

function issuedCertificates(options: PkiOptions): readonly IssuedCertificate[] {
  const address = options.clusterAddress;
  const hosts = [...new Set([...standardHosts, ...(address === undefined ? [] : [address]), ...options.hosts])];
  return [
    { name: frontProxyUser, issuer: 'front-proxy-ca', issue: (issuer) => issueClient(issuer, frontProxyUser) },
    { name: 'admin', issuer: 'ca', issue: (issuer) => issueClient(issuer, 'kubernetes-admin', ['system:masters']) },
    ...(options.services ?? services).map((service): IssuedCertificate => ({
      name: service,
      issuer: 'ca',
      issue: (issuer) => issueServing(issuer, service, hosts),
      hosts,
    })),
    ...(options.simulation === true ? simulationCertificates([...hosts, ...simulationHosts]) : []),
  ];
}

const simulationCertificates = (hosts: readonly string[]): readonly IssuedCertificate[] => [
  { name: 'simulation', issuer: 'ca', issue: (issuer) => issueServing(issuer, 'simulation', hosts), hosts },
  { name: 'kubelet-client', issuer: 'ca', issue: (issuer) => issueClient(issuer, 'kube-apiserver-kubelet-client') },
];

interface Needs {
  readonly issuer?: CertificatePair;
  readonly hosts?: readonly string[];
}

class PkiDirectory {
  readonly #options: PkiOptions;
  constructor(options: PkiOptions) {
    this.#options = options;
  }

  /** The certificate of that name, if it is fit for use. Throws StartupError when it cannot be used. */
  existing(name: string, needs: Needs = {}): CertificatePair | undefined {
    const pair = this.#read(this.#files(name));
    return pair !== undefined && isFit(pair, needs) ? pair : undefined;
  }

  /** The certificate of that name, made anew if it is missing or not fit. Throws StartupError when it cannot be used. */
  async ensure(name: string, make: () => Promise<CertificatePair>, needs: Needs = {}): Promise<CertificatePair> {
    const existing = this.existing(name, needs);
    if (existing !== undefined) return existing;
    const { owner } = this.#options;
    const files = this.#files(name);
    const pair = await make();
    // The certificate is removed first: after an interruption, an incomplete pair is created again, but a certificate and key that do not match are
    // an error.
    rmSync(files.certFile, { force: true });
    writeWholeFile(files.keyFile, pair.key, 0o600);
    writeWholeFile(files.certFile, pair.certificate, 0o644);
    if (owner !== undefined) for (const file of [files.certFile, files.keyFile]) chownSync(file, owner.uid, owner.gid);
    return pair;
  }

  #files(name: string): CertificateFiles {
    return certificateFiles(this.#options.directory, name);
  }

  #read(files: CertificateFiles): CertificatePair | undefined {
    const { certFile, keyFile } = files;
    if (!existsSync(certFile) || !existsSync(keyFile)) return undefined;
    try {
      const pair = readCertificatePair(files);
      if (new X509Certificate(pair.certificate).checkPrivateKey(createPrivateKey(pair.key))) return pair;
    } catch (error) {
      throw new StartupError(
        `${certFile} and its key cannot be used (${errorMessage(error)}): remove both to have them made anew`,
      );
    }
    throw new StartupError(`${keyFile} is not the key of ${certFile}: remove both to have them made anew`);
  }
}

function isFit(pair: CertificatePair, needs: Needs): boolean {
  const certificate = new X509Certificate(pair.certificate);
  if (certificate.validToDate.getTime() - Date.now() < renewBeforeMs) return false;
  if (needs.issuer !== undefined && !certificate.verify(new X509Certificate(needs.issuer.certificate).publicKey))
    return false;
  return (needs.hosts ?? []).every((host) =>
    /^[\d.]+$|:/.test(host) ? certificate.checkIP(host) !== undefined : certificate.checkHost(host) !== undefined,
  );
}

const timeoutMs = 60_000;

/**
 * Makes the certificates in a process of its own, whose memory is free again when it ends. Resolves to whether that succeeded. It does not in a
 * program that is a single file, with a Node that may not start processes, or where a file cannot be used: the caller then makes them itself, and
 * gets the error that says why.
 */
export async function makeInOwnProcess(options: PkiOptions): Promise<boolean> {
  const program = programFile();
  // A program in Electron would start itself again.
  if (program === undefined || process.versions['electron'] !== undefined) return false;
  // Options of this process, such as the port of a debugger, are not for the other one.
  const env = { ...process.env, ...compileCacheEnvironment(), NODE_OPTIONS: '' };
  try {
    await promisify(execFile)(process.execPath, [program, JSON.stringify(options)], { timeout: timeoutMs, env });
    return true;
  } catch {
    return false;
  }
}

/** Beside this file: `pki-program.js` in the published package, `pki-program.ts` among the sources. */
const programFile = (): string | undefined =>
  ['pki-program.js', 'pki-program.ts'].map((name) => join(import.meta.dirname, name)).find((file) => existsSync(file));

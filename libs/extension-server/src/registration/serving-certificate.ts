import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import type { Logger } from '@apichain/request';
import { issueServing } from '@apichain/serving/certificates';
import {
  caBundleOf,
  formatAuthorities,
  needRotation,
  nextAuthorities,
  parseAuthorities,
  type Authorities,
} from './authorities.ts';
import type { AuthorityStore } from './authority-store.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';
import { RegistrationError } from './registration-error.ts';

/** The options of a serving certificate. */
interface ServingCertificateOptions {
  readonly server: string;
  /** The DNS names and IP addresses of the server. The first is the one that aggregators expect: `SERVICE.NAMESPACE.svc`. */
  readonly hosts: readonly string[];
  /** Contains the server's certificate and key. */
  readonly directory: string;
  /** Contains the authority. */
  readonly store: AuthorityStore;
}

/** Makes the caBundle known to the API server. */
type PublishCaBundle = (caBundle: string) => Promise<void>;

const hourMs = 3_600_000;
/** The remaining part of its lifetime at which a certificate is renewed. */
const renewalPart = 1 / 3;
/** How often to try again when other servers change the authorities at the same time. */
const maxAttempts = 10;

/**
 * The certificate with which a server serves, and its authorities.
 *
 * The authorities are in a store that replicas may share, and every replica publishes the same caBundle, which only depends on the store's
 * content. Each replica has a certificate and key of its own, in one file `serving.pem`, so that a reader never gets a key without its
 * certificate. The server follows that file like any certificate file: a renewal needs no restart.
 *
 * The order of a change is: store the authority, publish the caBundle, then use it for the next certificate.
 */
export class ServingCertificate {
  readonly #options: ServingCertificateOptions;
  #authorities: Authorities;
  /** What the API server was told last. */
  #published: string | undefined;

  private constructor(options: ServingCertificateOptions, authorities: Authorities) {
    this.#options = options;
    this.#authorities = authorities;
  }

  /** Loads authorities and certificate, or makes them. Throws RegistrationError when they cannot be read or written. */
  static async open(options: ServingCertificateOptions): Promise<ServingCertificate> {
    const certificate = new ServingCertificate(options, await currentAuthorities(options));
    await certificate.#renewCertificate();
    return certificate;
  }

  /** The file with the certificate and its key in PEM, for --tls-cert-file and --tls-private-key-file. */
  get file(): string {
    return join(this.#options.directory, 'serving.pem');
  }

  /** PEM: the authorities of the certificates of all replicas. */
  get caBundle(): string {
    return caBundleOf(this.#authorities);
  }

  /**
   * Publishes the caBundle if it was not yet. Another replica may publish an older one at the same time, or change the authorities meanwhile:
   * the store is read again afterwards, and the caBundle is published again until it is that of the store. Rejects with the errors of
   * `publish`, and with RegistrationError.
   */
  async publish(publish: PublishCaBundle): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { caBundle } = this;
      if (caBundle === this.#published) return;
      await publish(caBundle);
      this.#published = caBundle;
      this.#authorities = await currentAuthorities(this.#options);
    }
    throw new RegistrationError(`the authorities in ${this.#options.store.place} change again and again`);
  }

  /** Renews what must be renewed: authorities, caBundle, certificate, in this order. Rejects like `publish`. */
  async check(publish: PublishCaBundle): Promise<void> {
    this.#authorities = await currentAuthorities(this.#options);
    await this.publish(publish);
    await this.#renewCertificate();
  }

  /** Checks every hour until the signal aborts. A failure is logged, and the next check tries again. Does not keep the process alive. */
  run(publish: PublishCaBundle, logger: Pick<Logger, 'error'>, signal: AbortSignal): void {
    let isChecking = false;
    const timer = setInterval(() => {
      if (isChecking) return;
      isChecking = true;
      void this.check(publish)
        .catch((error: unknown) => logger.error({ err: error }, 'the serving certificate was not checked'))
        .finally(() => (isChecking = false));
    }, hourMs).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    if (signal.aborted) clearInterval(timer);
  }

  async #renewCertificate(): Promise<void> {
    const { hosts } = this.#options;
    const text = readPrivateFile(this.file);
    if (text !== undefined && isUsable(text, hosts, this.caBundle)) return;
    const [name = ''] = hosts;
    // A common name has at most 64 characters. Clients look at the alternative names.
    const pair = await issueServing(this.#authorities.signing, name.slice(0, 64), hosts);
    writePrivateFile(this.file, `${pair.certificate.trimEnd()}\n${pair.key}`, { isNew: false });
  }
}

/** The authorities of the store; if there are none, or they expire too soon, they are made. */
async function currentAuthorities({ server, store }: ServingCertificateOptions): Promise<Authorities> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const stored = await store.read();
    const current = stored === undefined ? undefined : parse(stored.text, store);
    if (current !== undefined && !needRotation(current)) return current;
    const next = await nextAuthorities(server, current);
    if (await store.write(formatAuthorities(next), stored?.version)) return next;
  }
  throw new RegistrationError(`${store.place}: other servers change it again and again`);
}

function parse(text: string, { place }: AuthorityStore): Authorities {
  try {
    return parseAuthorities(text);
  } catch (error) {
    const why = errorMessage(error);
    throw new RegistrationError(`${place} contains no authority (${why}): delete it, and a new one is made`);
  }
}

/** Whether the text contains a certificate for the hosts and its key, trusted with this bundle and not to be renewed yet. */
function isUsable(text: string, hosts: readonly string[], caBundle: string): boolean {
  try {
    const certificate = new X509Certificate(text);
    const isFor = (host: string) =>
      (isIP(host) === 0 ? certificate.checkHost(host, { subject: 'never' }) : certificate.checkIP(host)) !== undefined;
    const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    return (
      to - Date.now() > (to - from) * renewalPart &&
      hosts.every(isFor) &&
      certificate.checkPrivateKey(createPrivateKey(text)) &&
      certificatesIn(caBundle).some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey))
    );
  } catch {
    // A file that cannot be parsed is replaced: it holds nothing that is needed.
    return false;
  }
}

const certificatesIn = (pem: string): X509Certificate[] =>
  pem.split(/(?<=-----END CERTIFICATE-----\n)/).map((certificate) => new X509Certificate(certificate));

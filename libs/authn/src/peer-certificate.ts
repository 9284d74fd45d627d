import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { lazy } from '@apichain/meta';
import { TrustedCertificates, usages, verifyChain, type Verdict } from '@apichain/x509';

/** The certificates that a TLS client presented. */
export class PeerCertificates {
  /** The client's own certificate. */
  readonly leaf: X509Certificate;
  /** When it expires, in milliseconds since the epoch. Kept, because Node parses the date on every access. */
  readonly expiresAt: () => number;
  /** The common name of its subject. Kept, because parsing a subject is slow. */
  readonly commonName: () => string;
  /** The others in DER, which takes less memory than parsed certificates: they are needed once for each state of the authorities. */
  readonly #others: readonly Buffer[];

  /** `others`: the certificates besides the client's own, in DER. */
  constructor(own: X509Certificate, others: readonly Buffer[]) {
    this.#others = others;
    this.leaf = own;
    this.expiresAt = lazy(() => own.validToDate.getTime());
    this.commonName = lazy(() => commonName(own));
  }

  /** Those of a connection: what Node calls the issuer of a certificate is the next one that the client sent. */
  static of(leaf: X509Certificate): PeerCertificates {
    const others: Buffer[] = [];
    for (let next = leaf.issuerCertificate; next !== undefined; next = next.issuerCertificate) others.push(next.raw);
    // A copy that does not hold the others.
    return new PeerCertificates(others.length === 0 ? leaf : new X509Certificate(leaf.raw), others);
  }

  /** From what `toText` made of them, perhaps in another process. */
  static fromText(text: string): PeerCertificates {
    const [own = Buffer.alloc(0), ...others] = text.split(' ').map((der) => Buffer.from(der, 'base64'));
    return new PeerCertificates(new X509Certificate(own), others);
  }

  toText(): string {
    return [this.leaf.raw, ...this.#others].map((der) => der.toString('base64')).join(' ');
  }

  /** The client's own certificate and the others, in the client's order. Parses the others. */
  presented(): X509Certificate[] {
    return [this.leaf, ...this.#others.map((der) => new X509Certificate(der))];
  }
}

/** A property of the socket: the sockets of HTTP/2 requests are proxies, which have the properties of the socket and another identity. */
const presented = Symbol('the certificates that the client presented');

/** A TLS connection, or a substitute for one. */
interface TlsConnection extends Pick<TLSSocket, 'getPeerX509Certificate'> {
  [presented]?: PeerCertificates | 'none';
}

/**
 * The certificates that the client of a connection presented. Read once: Node gives out those besides the client's own with the first call only. What
 * it calls `issuerCertificate` is just the next certificate that the client sent.
 */
export function certificatesOn(socket: TlsConnection): PeerCertificates | undefined {
  let known = socket[presented];
  if (known === undefined) {
    const leaf = socket.getPeerX509Certificate();
    known = leaf === undefined ? 'none' : PeerCertificates.of(leaf);
    socket[presented] = known;
  }
  return known === 'none' ? undefined : known;
}

/** Makes a connection that is none of a client one that presents these certificates. */
export function presentOn(socket: Socket, certificates: PeerCertificates): void {
  const connection: TlsConnection = { getPeerX509Certificate: () => certificates.leaf, [presented]: certificates };
  Object.assign(socket, connection);
}

/** The same for the connection of a request. */
export function peerCertificates({ socket }: IncomingMessage): PeerCertificates | undefined {
  return isTls(socket) ? certificatesOn(socket) : undefined;
}

const isTls = (socket: object): socket is TlsConnection =>
  'getPeerX509Certificate' in socket && typeof socket.getPeerX509Certificate === 'function';

/** Splits a PEM bundle into certificates. Throws Error when there is none or one cannot be parsed. */
export function parseCertificateBundle(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null) throw new Error('data does not contain any valid RSA or ECDSA certificates');
  return blocks.map((block) => new X509Certificate(block));
}

/** Checks whether client certificates chain to one of the given authorities. Verdicts are kept per connection and state of the authorities. */
export class ClientCertificateVerifier {
  #trusted: TrustedCertificates;
  #verdicts = new WeakMap<PeerCertificates, Verdict>();

  constructor(roots: readonly X509Certificate[]) {
    this.#trusted = new TrustedCertificates(roots);
  }

  /** Whether any authority is trusted. */
  get hasRoots(): boolean {
    return this.#trusted.size > 0;
  }

  /** Replaces the trusted authorities, also for later requests on open connections. */
  trust(roots: readonly X509Certificate[]): void {
    this.#trusted = new TrustedCertificates(roots);
    this.#verdicts = new WeakMap();
  }

  /** Why the certificates are not valid for client authentication now; undefined when they are valid. */
  problem(peer: PeerCertificates): string | undefined {
    let verdict = this.#verdicts.get(peer);
    if (verdict === undefined || Date.now() >= verdict.until) {
      verdict = verifyChain(peer.presented(), this.#trusted, usages.clientAuth);
      this.#verdicts.set(peer, verdict);
    }
    return verdict.problem;
  }
}

/** The expiry of the client's certificate, in milliseconds since the epoch; undefined without a certificate. */
export const certificateExpiry = (request: IncomingMessage): number | undefined =>
  peerCertificates(request)?.expiresAt();

/** Values of one attribute of the subject, e.g. `CN`, `O` or a dotted object identifier. */
export function subjectAttribute(certificate: X509Certificate, name: string): string[] {
  const subject: Record<string, string | string[] | undefined> = { ...certificate.toLegacyObject().subject };
  const value = subject[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The last common name of the subject, as Go's crypto/x509/pkix reads it; `''` when there is none. */
export const commonName = (certificate: X509Certificate): string => subjectAttribute(certificate, 'CN').at(-1) ?? '';

import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

const clientAuthUsage = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
const maxChainLength = 8;

const byConnection = new WeakMap<object, { certificate: X509Certificate | undefined }>();

/** The TLS client certificate of the request's connection, parsed once per connection; its chain is on `issuerCertificate`. */
export function peerCertificate(request: IncomingMessage): X509Certificate | undefined {
  const connection = connectionOf(request);
  const known = byConnection.get(connection);
  if (known !== undefined) return known.certificate;
  const socket = request.socket;
  // The socket of an HTTP/2 session is a proxy object that supports the same call, as does any substitute for a TLS socket.
  const certificate = isTls(socket) ? socket.getPeerX509Certificate() : undefined;
  byConnection.set(connection, { certificate });
  return certificate;
}

/** Makes `certificate` the one of the request's connection, which is none of a client. */
export function rememberPeer(request: IncomingMessage, certificate: X509Certificate | undefined): void {
  byConnection.set(connectionOf(request), { certificate });
}

type TlsPeer = Pick<TLSSocket, 'getPeerX509Certificate'>;

const isTls = (socket: object): socket is TlsPeer =>
  'getPeerX509Certificate' in socket && typeof socket.getPeerX509Certificate === 'function';

/** An object that lives as long as the connection. For HTTP/2 this is the session, because there each request has a separate socket object. */
function connectionOf(request: IncomingMessage & { readonly stream?: { readonly session?: object } }): object {
  return request.stream?.session ?? request.socket;
}

/** Splits a PEM bundle into certificates. Throws Error when there is none or one cannot be parsed. */
export function parseCertificateBundle(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null) throw new Error('data does not contain any valid RSA or ECDSA certificates');
  return blocks.map((block) => new X509Certificate(block));
}

/** Checks whether client certificates chain to one of the given authorities. Results are cached per certificate. */
export class ClientCertificateVerifier {
  #roots: readonly X509Certificate[];
  #verdicts = new WeakMap<X509Certificate, string>();

  constructor(roots: readonly X509Certificate[]) {
    this.#roots = roots;
  }

  /** Whether any authority is trusted. */
  get hasRoots(): boolean {
    return this.#roots.length > 0;
  }

  /** Replaces the trusted authorities, also for later requests on open connections. */
  trust(roots: readonly X509Certificate[]): void {
    this.#roots = roots;
    this.#verdicts = new WeakMap();
  }

  /** Why the certificate is not valid for client authentication now; undefined when it is valid. */
  problem(certificate: X509Certificate): string | undefined {
    let verdict = this.#verdicts.get(certificate);
    if (verdict === undefined) {
      verdict = this.#checkChain(certificate) ?? '';
      this.#verdicts.set(certificate, verdict);
    }
    return verdict === '' ? validityProblem(certificate) : verdict;
  }

  #checkChain(leaf: X509Certificate): string | undefined {
    const usages = leaf.keyUsage as string[] | undefined;
    if (usages !== undefined && !usages.includes(clientAuthUsage) && !usages.includes(anyUsage)) {
      return 'x509: certificate specifies an incompatible key usage';
    }
    let current: X509Certificate | undefined = leaf;
    for (let depth = 0; current !== undefined && depth < maxChainLength; depth++) {
      const certificate: X509Certificate = current;
      if (this.#roots.some((root) => issuedBy(certificate, root))) return undefined;
      const issuer: X509Certificate | undefined = certificate.issuerCertificate;
      current = issuer !== undefined && issuer.ca && issuedBy(certificate, issuer) ? issuer : undefined;
    }
    return 'x509: certificate signed by unknown authority';
  }
}

function issuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  if (certificate.fingerprint256 === issuer.fingerprint256) return true;
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Milliseconds since the epoch. Cached, because Node parses the dates of a certificate on every access. */
const validity = new WeakMap<X509Certificate, { readonly from: number; readonly to: number }>();

function validityOf(certificate: X509Certificate): { readonly from: number; readonly to: number } {
  let dates = validity.get(certificate);
  if (dates === undefined) {
    dates = { from: certificate.validFromDate.getTime(), to: certificate.validToDate.getTime() };
    validity.set(certificate, dates);
  }
  return dates;
}

/** The expiry of the client's certificate, in milliseconds since the epoch; undefined without a certificate. */
export function certificateExpiry(request: IncomingMessage): number | undefined {
  const certificate = peerCertificate(request);
  return certificate === undefined ? undefined : expiryOf(certificate);
}

/** When a certificate expires, in milliseconds since the epoch. */
export const expiryOf = (certificate: X509Certificate): number => validityOf(certificate).to;

function validityProblem(certificate: X509Certificate): string | undefined {
  const dates = validityOf(certificate);
  const now = Date.now();
  if (now < dates.from || now > dates.to) {
    return 'x509: certificate has expired or is not yet valid';
  }
  return undefined;
}

/** Values of one attribute of the subject, e.g. `CN`, `O` or a dotted object identifier. */
export function subjectAttribute(certificate: X509Certificate, name: string): string[] {
  const subject: Record<string, string | string[] | undefined> = { ...certificate.toLegacyObject().subject };
  const value = subject[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The last common name of the subject, as Go's crypto/x509/pkix reads it; `''` when there is none. */
export const commonName = (certificate: X509Certificate): string => subjectAttribute(certificate, 'CN').at(-1) ?? '';

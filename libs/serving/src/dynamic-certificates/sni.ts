import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { subjectAttribute } from '@apichain/authn';
import { isIP } from 'node:net';
import type { CertificatePair } from '../certificates/certificate.ts';

/** A serving certificate for some host names: `--tls-sni-cert-key`. */
export interface SniCertificate extends CertificatePair {
  /** `example.com` or `*.example.com`; empty = the names in the certificate. */
  readonly names: readonly string[];
}

/** Selects the certificate for the host name that a client requests. */
export class SniContexts {
  readonly #byName = new Map<string, SecureContext>();

  /**
   * Configured names take precedence over names in certificates, and earlier certificates over later ones. `common` are the settings shared
   * by all contexts. Throws Error when a certificate or key is invalid.
   */
  constructor(certificates: readonly SniCertificate[], common: SecureContextOptions) {
    const loaded = certificates.map(({ certificate, key, names }) => ({
      context: createSecureContext({ ...common, cert: certificate, key }),
      given: names,
      own: names.length > 0 ? [] : namesOf(new X509Certificate(certificate)),
    }));
    for (const { given, context } of loaded) this.#add(given, context);
    for (const { own, context } of loaded) this.#add(own, context);
  }

  #add(names: readonly string[], context: SecureContext): void {
    for (const name of names.map((text) => text.toLowerCase())) {
      if (!this.#byName.has(name)) this.#byName.set(name, context);
    }
  }

  /** Undefined = the default certificate. */
  contextFor(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase().replace(/\.$/, '');
    return this.#byName.get(name) ?? this.#byName.get(name.replace(/^[^.]*/, '*'));
  }
}

const domain = /^(\*|(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$/;

/** The common name, if it is a host name, and the DNS names of the subject alternative name. */
function namesOf(certificate: X509Certificate): string[] {
  const common = subjectAttribute(certificate, 'CN').filter((name) => isIP(name) === 0 && domain.test(name));
  const alternative = (certificate.subjectAltName ?? '')
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length));
  return [...common, ...alternative];
}

import { X509Certificate, type KeyObject } from 'node:crypto';
import type { CertificateCase, ChainCase } from './case-parts.fixture.ts';
import { chainCases } from './chain-cases.fixture.ts';
import { attribute, encodeCertificate, extensions, nameOf, newKeys, type Keys } from './certificate.fixture.ts';
import type { Der } from './der-writer.fixture.ts';

const dayMs = 86_400_000;

/** What a client with a chain of the table has. */
export interface ClientChain {
  readonly row: ChainCase;
  /** Its certificate first. */
  readonly presented: readonly X509Certificate[];
  readonly key: KeyObject;
}

interface Issued {
  readonly name: Der;
  readonly keys: Keys;
  readonly certificates: readonly X509Certificate[];
}

/** The table of chains with new keys, and the authorities that trust what the cases say is trusted. */
export class ChainTable {
  readonly trusted: X509Certificate[] = [];
  readonly chains: readonly ClientChain[];
  readonly #label: string;
  readonly #user: string;
  readonly #authority: Issued;

  /** `label` is part of the names of authorities, `user` is the common name of clients. */
  constructor(label: string, user: string, rows: readonly ChainCase[] = chainCases) {
    this.#label = label;
    this.#user = user;
    const name = nameOf(attribute('CN', `${label} authority`));
    this.#authority = { name, keys: newKeys('p256'), certificates: [] };
    this.trusted.push(this.#issue({ extensions: [extensions.ca()] }, this.#authority, this.#authority));
    this.chains = rows.map((row, number) => this.#chainOf(row, number));
  }

  /** In PEM. */
  get bundle(): string {
    return pemOf(this.trusted);
  }

  #chainOf(row: ChainCase, number: number): ClientChain {
    const issued = new Map<string, Issued>();
    const own = (id: string): Issued => {
      const known = issued.get(id);
      if (known !== undefined) return known;
      const about = row.certificates[id];
      if (about === undefined) throw new Error(`${row.name}: no certificate ${id}`);
      const like = about.sameAs ?? about.namedAs;
      const name = about.subject ?? (like === undefined ? this.#nameOf(id, number) : own(like).name);
      const keys = about.sameAs === undefined ? newKeys(about.key ?? 'p256') : own(about.sameAs).keys;
      const one: Issued = { name, keys, certificates: [] };
      issued.set(id, one);
      return one;
    };
    const certificates = new Map<string, X509Certificate[]>();
    for (const [id, about] of Object.entries(row.certificates)) {
      const issuer = about.by === undefined ? this.#authority : own(about.by);
      const made = Array.from({ length: about.count ?? 1 }, () =>
        this.#issue(about, about.count === undefined ? own(id) : { ...own(id), keys: newKeys('p256') }, issuer),
      );
      certificates.set(id, made);
      if (about.isTrusted === true) this.trusted.push(...made);
    }
    const untrusted = Object.keys(row.certificates).filter((id) => row.certificates[id]?.isTrusted !== true);
    const presented = (row.presents ?? untrusted).flatMap((id) => certificates.get(id) ?? []);
    return { row, presented, key: own('leaf').keys.privateKey };
  }

  #nameOf(id: string, number: number): Der {
    if (id !== 'leaf') return nameOf(attribute('CN', `${this.#label} ${number} ${id}`));
    return nameOf(attribute('O', 'system:masters'), attribute('CN', this.#user));
  }

  #issue(about: CertificateCase, own: Issued, issuer: Issued): X509Certificate {
    const { from = -1, to = 1, end, isForged = false, signature, version, serial } = about;
    const now = Date.now();
    const content = {
      issuer: about.issuer ?? issuer.name,
      subject: own.name,
      notBefore: now + from * dayMs,
      notAfter: end ?? now + to * dayMs,
      publicKey: own.keys.publicKey,
      extensions: about.extensions,
      version,
      serial,
    };
    const keys = isForged ? newKeys('p256') : issuer.keys;
    return new X509Certificate(encodeCertificate(content, keys.privateKey, signature));
  }
}

/** Certificates in PEM, one after the other. */
export const pemOf = (certificates: readonly X509Certificate[]): string => certificates.join('');

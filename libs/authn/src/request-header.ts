import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Authenticator } from './authenticator.ts';
import { ClientCertificateVerifier, commonName, peerCertificate } from './peer-certificate.ts';
import type { UserInfo } from './user.ts';
import { isVouchedFor } from './vouched-connection.ts';

export interface RequestHeaderOptions {
  /** Authorities of front-proxy client certificates. */
  readonly clientCAs: readonly X509Certificate[];
  /** Common names a front proxy may have; empty = any. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export const defaultRequestHeaders = {
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
} as const;

/**
 * The identity a front proxy vouches for, believed only behind its client certificate or on a connection that only it can have opened.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
 */
export class RequestHeaderAuthenticator implements Authenticator {
  readonly #verifier: ClientCertificateVerifier;
  readonly #allowedNames: readonly string[];
  readonly #refusals = new Map<string, Error>();
  readonly #commonNames = new WeakMap<X509Certificate, string>();
  readonly #username: ReadonlySet<string>;
  readonly #uid: ReadonlySet<string>;
  readonly #group: ReadonlySet<string>;
  readonly #extraPrefixes: readonly string[];

  constructor(options: RequestHeaderOptions) {
    this.#verifier = new ClientCertificateVerifier(options.clientCAs);
    this.#allowedNames = options.allowedNames;
    this.#username = lowerCased(options.usernameHeaders);
    this.#uid = lowerCased(options.uidHeaders);
    this.#group = lowerCased(options.groupHeaders);
    this.#extraPrefixes = options.extraHeaderPrefixes.map((prefix) => prefix.toLowerCase());
  }

  /** Other authorities of front proxies from now on. */
  trust(clientCAs: readonly X509Certificate[]): void {
    this.#verifier.trust(clientCAs);
  }

  authenticate(request: IncomingMessage): UserInfo | undefined {
    if (isVouchedFor(request.socket)) return this.#identity(request.rawHeaders);
    const certificate = peerCertificate(request);
    if (certificate === undefined) return undefined;
    const problem = this.#verifier.problem(certificate);
    if (problem !== undefined) throw this.#refusal(`verifying certificate failed: ${problem}`);
    const nameProblem = this.#nameProblem(certificate);
    if (nameProblem !== undefined) throw this.#refusal(nameProblem);
    return this.#identity(request.rawHeaders);
  }

  /** Whether the certificate is a front proxy's, whose word on identities is believed. */
  vouches(certificate: X509Certificate): boolean {
    return this.#verifier.problem(certificate) === undefined && this.#nameProblem(certificate) === undefined;
  }

  /**
   * One error a text, made once: every user with a certificate of his own comes by here with each request. There are few texts,
   * because only names that a front-proxy authority has signed get into them.
   */
  #refusal(text: string): Error {
    let refusal = this.#refusals.get(text);
    if (refusal === undefined) this.#refusals.set(text, (refusal = new Error(text)));
    return refusal;
  }

  /** Remembered, because taking a subject apart is slow and a front proxy calls often. */
  #nameProblem(certificate: X509Certificate): string | undefined {
    if (this.#allowedNames.length === 0) return undefined;
    let name = this.#commonNames.get(certificate);
    if (name === undefined) {
      name = commonName(certificate);
      this.#commonNames.set(certificate, name);
    }
    if (this.#allowedNames.includes(name)) return undefined;
    return `x509: subject with cn=${name} is not in the allowed list`;
  }

  /** Reads raw headers, because Node joins repeated ones and a group may contain a comma. */
  #identity(rawHeaders: readonly string[]): UserInfo | undefined {
    let name = '';
    let uid = '';
    const groups: string[] = [];
    const extra: Record<string, string[]> = {};
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const header = (rawHeaders[i] ?? '').toLowerCase();
      const value = headerUtf8(rawHeaders[i + 1] ?? '');
      if (this.#username.has(header)) name = name === '' ? value : name;
      else if (this.#uid.has(header)) uid = uid === '' ? value : uid;
      else if (this.#group.has(header)) groups.push(value);
      else {
        const prefix = this.#extraPrefixes.find((candidate) => header.startsWith(candidate));
        if (prefix !== undefined) addExtra(extra, unescapeExtraKey(header.slice(prefix.length)), value);
      }
    }
    return name === '' ? undefined : { name, uid, groups, extra };
  }
}

const lowerCased = (names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => name.toLowerCase()));

const nonAscii = /[\x80-\xff]/;

/** A header value as text: Node shows each byte as one character, the bytes are UTF-8. */
export const headerUtf8 = (value: string): string =>
  nonAscii.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;

/** Adds a value to those of a key, which may be any text: `constructor` and `__proto__` are keys like others. */
export function addExtra(extra: Record<string, string[]>, key: string, value: string): void {
  if (Object.hasOwn(extra, key)) extra[key]?.push(value);
  else Object.defineProperty(extra, key, { value: [value], enumerable: true, configurable: true, writable: true });
}

/** Extra keys travel percent-encoded in header names; one that does not decode is taken as it is. */
export function unescapeExtraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

const tokenCharacter = /^[!#$&'*+\-.^_`|~0-9A-Za-z]$/;

/** The inverse: every byte that a header name may not hold, and `%`, is percent-encoded. */
export function escapeExtraKey(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key)) {
    const character = String.fromCharCode(byte);
    escaped += tokenCharacter.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

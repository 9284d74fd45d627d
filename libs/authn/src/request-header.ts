import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { BoundedCache } from '@apichain/meta';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { chainIdentityHeader, decodeIdentity, chainLinkOf, isChainProxy, type ChainProxies } from './chain-identity.ts';
import {
  certificatesOn,
  ClientCertificateVerifier,
  peerCertificates,
  type PeerCertificates,
} from './peer-certificate.ts';

/** Who is a front proxy, and the headers in which front proxies send users. */
export interface RequestHeaderSettings {
  /** The authorities that issue front-proxy client certificates; empty = there are no front proxies with certificates. */
  readonly clientCAs: readonly X509Certificate[];
  /** The allowed common names of front proxies; empty = any. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

interface RequestHeaderOptions extends RequestHeaderSettings {
  /**
   * Which front proxies count as the previous server in the chain. These use the standard headers or `chainIdentityHeader`, whatever is configured
   * for other front proxies, so that no other header that they forward for a client is taken for an identity. Other front proxies are believed
   * only in the configured headers; further headers may come from their client. None by default.
   */
  readonly chainProxies?: ChainProxies;
}

/** The headers that carry an identity, in lower case. */
interface IdentityHeaders {
  readonly username: ReadonlySet<string>;
  readonly uid: ReadonlySet<string>;
  readonly group: ReadonlySet<string>;
  readonly extraPrefixes: readonly string[];
}

/** The defaults of the `--requestheader-*-headers` flags. */
export const defaultRequestHeaders = {
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
} as const;

/**
 * The identity that a front proxy sends. It is believed only with a front-proxy client certificate, or on a connection that only the front proxy
 * can have opened.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
 */
export class RequestHeaderAuthenticator implements Authenticator {
  readonly #verifier: ClientCertificateVerifier;
  #allowedNames: readonly string[];
  readonly #refusals = new BoundedCache<Error>(rememberedNames);
  #configured: IdentityHeaders;
  readonly #chainProxies: ChainProxies;
  /** By the name as written, because the same few names come with every request. Bounded, because clients choose the names. */
  readonly #isIdentity = new BoundedCache<boolean>(rememberedNames);

  constructor(options: RequestHeaderOptions) {
    this.#verifier = new ClientCertificateVerifier(options.clientCAs);
    this.#allowedNames = options.allowedNames;
    this.#configured = identityHeaders(options);
    this.#chainProxies = options.chainProxies ?? 'none';
  }

  /** Replaces the authorities of front proxies. */
  trust(clientCAs: readonly X509Certificate[]): void {
    this.#verifier.trust(clientCAs);
  }

  /** Replaces all settings, also for later requests on open connections. */
  configure(settings: RequestHeaderSettings): void {
    this.#verifier.trust(settings.clientCAs);
    this.#allowedNames = settings.allowedNames;
    this.#configured = identityHeaders(settings);
    this.#refusals.clear();
    this.#isIdentity.clear();
  }

  /** Removes identity headers that a client may have sent, whichever user was authenticated. */
  clear(request: IncomingMessage): void {
    const { rawHeaders, headers } = request;
    for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
      const name = rawHeaders[i] ?? '';
      if (!(this.#isIdentity.get(name) ?? this.#classify(name))) continue;
      rawHeaders.splice(i, 2);
      delete headers[name.toLowerCase()];
    }
  }

  #classify(name: string): boolean {
    const lower = name.toLowerCase();
    const is =
      lower === lowerChainHeader || [this.#configured, standard].some((names) => isIdentityHeader(names, lower));
    this.#isIdentity.set(name, is);
    return is;
  }

  /** Throws Error when the peer is not a front proxy, or when its headers cannot be parsed. */
  authenticate(request: IncomingMessage): UserInfo | undefined {
    if (chainLinkOf(request.socket) === 'socket') return this.#identityOf(request);
    const peer = peerCertificates(request);
    if (peer === undefined || !this.#verifier.hasRoots) return undefined;
    const problem = this.#verifier.problem(peer);
    if (problem !== undefined) throw this.#refusal(`verifying certificate failed: ${problem}`);
    const nameProblem = this.#nameProblem(peer);
    if (nameProblem !== undefined) throw this.#refusal(nameProblem);
    return this.#identityOf(request);
  }

  /** Whether a connection is that of a front proxy, whose identity headers are believed. */
  vouches(connection: TLSSocket): boolean {
    const peer = certificatesOn(connection);
    if (peer === undefined || !this.#verifier.hasRoots) return false;
    return this.#verifier.problem(peer) === undefined && this.#nameProblem(peer) === undefined;
  }

  /**
   * One Error per text, created once: every request of a user with a client certificate takes this path.
   */
  #refusal(text: string): Error {
    let refusal = this.#refusals.get(text);
    if (refusal === undefined) this.#refusals.set(text, (refusal = new Error(text)));
    return refusal;
  }

  #nameProblem(peer: PeerCertificates): string | undefined {
    if (this.#allowedNames.length === 0) return undefined;
    const name = peer.commonName();
    if (this.#allowedNames.includes(name)) return undefined;
    return `x509: subject with cn=${name} is not in the allowed list`;
  }

  #identityOf({ socket, headers, rawHeaders }: IncomingMessage): UserInfo | undefined {
    if (!isChainProxy(this.#chainProxies, socket)) return identity(this.#configured, rawHeaders);
    // The previous server sends one of the two. If both are present, a client has added one: proxies forward headers that they do not know.
    const named = identity(standard, rawHeaders);
    if (named !== undefined) return named;
    const encoded = headers[lowerChainHeader];
    return typeof encoded === 'string' ? decodeIdentity(encoded) : identity(this.#configured, rawHeaders);
  }
}

/** Reads raw headers, because Node joins repeated ones and a group may contain a comma. */
function identity(wanted: IdentityHeaders, rawHeaders: readonly string[]): UserInfo | undefined {
  let name = '';
  let uid = '';
  const groups: string[] = [];
  const extra: Record<string, string[]> = {};
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = (rawHeaders[i] ?? '').toLowerCase();
    const value = rawHeaders[i + 1] ?? '';
    if (wanted.username.has(header)) name = name === '' ? headerUtf8(value) : name;
    else if (wanted.uid.has(header)) uid = uid === '' ? headerUtf8(value) : uid;
    else if (wanted.group.has(header)) groups.push(headerUtf8(value));
    else {
      const prefix = wanted.extraPrefixes.find((candidate) => header.startsWith(candidate));
      if (prefix !== undefined) addExtra(extra, unescapeExtraKey(header.slice(prefix.length)), headerUtf8(value));
    }
  }
  return name === '' ? undefined : { name, uid, groups, extra };
}

function isIdentityHeader({ username, uid, group, extraPrefixes }: IdentityHeaders, name: string): boolean {
  return (
    username.has(name) || uid.has(name) || group.has(name) || extraPrefixes.some((prefix) => name.startsWith(prefix))
  );
}

type HeaderNames = Pick<
  RequestHeaderSettings,
  'usernameHeaders' | 'uidHeaders' | 'groupHeaders' | 'extraHeaderPrefixes'
>;

function identityHeaders({
  usernameHeaders,
  uidHeaders,
  groupHeaders,
  extraHeaderPrefixes,
}: HeaderNames): IdentityHeaders {
  return {
    username: lowerCased(usernameHeaders),
    uid: lowerCased(uidHeaders),
    group: lowerCased(groupHeaders),
    extraPrefixes: extraHeaderPrefixes.map((prefix) => prefix.toLowerCase()),
  };
}

const lowerCased = (names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => name.toLowerCase()));

const standard = identityHeaders(defaultRequestHeaders);
const lowerChainHeader = chainIdentityHeader.toLowerCase();

const rememberedNames = { maxEntries: 500, maxCharacters: 1 << 16 };

const nonAscii = /[\x80-\xff]/;

/** Decodes a header value: Node shows each byte as one character, and the bytes are UTF-8. */
export const headerUtf8 = (value: string): string =>
  nonAscii.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;

/** Adds a value to those of a key. The key may be any text, including `constructor` and `__proto__`. */
export function addExtra(extra: Record<string, string[]>, key: string, value: string): void {
  if (Object.hasOwn(extra, key)) extra[key]?.push(value);
  else Object.defineProperty(extra, key, { value: [value], enumerable: true, configurable: true, writable: true });
}

/** Extra keys are percent-encoded in header names. A key that cannot be decoded is used unchanged. */
export function unescapeExtraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

const tokenCharacter = /^[!#$&'*+\-.^_`|~0-9A-Za-z]$/;

/** The inverse: percent-encodes `%` and every byte that a header name may not contain. */
export function escapeExtraKey(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key)) {
    const character = String.fromCharCode(byte);
    escaped += tokenCharacter.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

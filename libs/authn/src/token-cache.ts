import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';

interface Entry {
  readonly authenticated: AuthenticatedToken;
  /** A time of `performance.now()`: the clock of the machine may be set back. */
  readonly until: number;
}

const defaultLifetimeMs = 10_000;
const maxEntries = 4_096;
/** The limit of all keys together: tokens and requested audiences may be of any length. */
const maxCharacters = 16 << 20;

/** How tokens are cached. */
interface TokenCacheOptions {
  /** Milliseconds. Default: ten seconds, as in kube-apiserver. */
  readonly lifetimeMs?: number;
  readonly observer?: TokenCacheObserver;
  /** How many processes serve together: together they keep no more than one. */
  readonly workers?: number;
}

/** Tokens with the same audiences: those authenticated lately, and those that are being authenticated. */
interface TokenEntries {
  readonly known: Map<string, Entry>;
  readonly asked: Map<string, Promise<AuthenticatedToken | undefined>>;
}

/** Is told what a cache of tokens does, for metrics. */
export interface TokenCacheObserver {
  /** A token was authenticated or refused, after so many seconds. */
  readonly completed: (status: 'hit' | 'miss', seconds: number) => void;
  /** The authenticator has returned, or failed. */
  readonly fetched: (status: 'ok' | 'error') => void;
  /** One more or one less request waits for the authenticator (`blocked`), or call of it is under way (`in_flight`). */
  readonly active: (status: 'blocked' | 'in_flight', change: 1 | -1) => void;
}

/**
 * Caches valid tokens for ten seconds, as kube-apiserver does, or for the given lifetime. Refusals are not cached. Requests with the same token at
 * the same time share one call of the authenticator.
 */
export class CachedTokenAuthenticator implements TokenAuthenticator {
  readonly #inner: TokenAuthenticator;
  readonly #lifetimeMs: number;
  readonly #observer: TokenCacheObserver | undefined;
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  /** By token, for this API. */
  readonly #own: TokenEntries = { known: new Map(), asked: new Map() };
  /** By token and audiences, as JSON: an entry for one audience must not be found for another. */
  readonly #others: TokenEntries = { known: new Map(), asked: new Map() };
  #characters = 0;

  constructor(inner: TokenAuthenticator, options: TokenCacheOptions = {}) {
    const { lifetimeMs = defaultLifetimeMs, observer, workers = 1 } = options;
    this.#inner = inner;
    this.#lifetimeMs = lifetimeMs;
    this.#observer = observer;
    this.#maxEntries = Math.ceil(maxEntries / workers);
    this.#maxCharacters = Math.ceil(maxCharacters / workers);
  }

  authenticateToken(
    token: string,
    audiences?: readonly string[],
  ): Promise<AuthenticatedToken | undefined> | AuthenticatedToken | undefined {
    const entries = audiences === undefined ? this.#own : this.#others;
    const key = audiences === undefined ? token : JSON.stringify([token, ...audiences]);
    const known = entries.known.get(key);
    if (known !== undefined) {
      if (known.until > performance.now()) {
        this.#observer?.completed('hit', 0);
        return known.authenticated;
      }
      this.#drop(entries.known, key);
    }
    let asking = entries.asked.get(key);
    if (asking === undefined) {
      asking = this.#ask(entries.known, key, token, audiences).finally(() => entries.asked.delete(key));
      entries.asked.set(key, asking);
    }
    return this.#observer === undefined ? asking : observedMiss(asking, this.#observer);
  }

  async #ask(
    entries: Map<string, Entry>,
    key: string,
    token: string,
    audiences?: readonly string[],
  ): Promise<AuthenticatedToken | undefined> {
    const authenticated = await this.#fetch(token, audiences);
    if (authenticated === undefined) return undefined;
    this.#drop(entries, key);
    entries.set(key, { authenticated, until: performance.now() + this.#lifetimeMs });
    this.#characters += key.length;
    this.#makeRoom(entries);
    return authenticated;
  }

  async #fetch(token: string, audiences?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    this.#observer?.active('in_flight', 1);
    try {
      const authenticated = await this.#inner.authenticateToken(token, audiences);
      this.#observer?.fetched('ok');
      return authenticated;
    } catch (error) {
      this.#observer?.fetched('error');
      throw error;
    } finally {
      this.#observer?.active('in_flight', -1);
    }
  }

  #drop(entries: Map<string, Entry>, key: string): void {
    if (entries.delete(key)) this.#characters -= key.length;
  }

  /** Evicts the oldest entries first, and those of the other map only when that is not enough. */
  #makeRoom(grown: Map<string, Entry>): void {
    for (const entries of [grown, this.#own.known, this.#others.known])
      for (const key of entries.keys()) {
        if (entries.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) break;
        this.#drop(entries, key);
      }
  }
}

async function observedMiss(
  asking: Promise<AuthenticatedToken | undefined>,
  observer: TokenCacheObserver,
): Promise<AuthenticatedToken | undefined> {
  const start = performance.now();
  observer.active('blocked', 1);
  try {
    return await asking;
  } finally {
    observer.active('blocked', -1);
    observer.completed('miss', (performance.now() - start) / 1000);
  }
}

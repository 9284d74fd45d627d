import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';

interface Entry {
  readonly answer: AuthenticatedToken;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const defaultLifetimeMs = 10_000;
const maxEntries = 4_096;
/** The limit of all keys together: tokens and requested audiences may be of any length. */
const maxCharacters = 16 << 20;

/** Tokens with the same audiences: their cached answers, and the questions that have not been answered. */
interface Answers {
  readonly known: Map<string, Entry>;
  readonly asked: Map<string, Promise<AuthenticatedToken | undefined>>;
}

/**
 * Caches valid tokens for ten seconds, as kube-apiserver does, or for the given lifetime. Refusals are not cached. Requests with the same token at
 * the same time share one question.
 */
export class CachedTokenAuthenticator implements TokenAuthenticator {
  readonly #inner: TokenAuthenticator;
  readonly #lifetimeMs: number;
  /** By token, for this API. */
  readonly #own: Answers = { known: new Map(), asked: new Map() };
  /** By token and audiences, as JSON: an entry for one audience must not be found for another. */
  readonly #others: Answers = { known: new Map(), asked: new Map() };
  #characters = 0;

  constructor(inner: TokenAuthenticator, lifetimeMs = defaultLifetimeMs) {
    this.#inner = inner;
    this.#lifetimeMs = lifetimeMs;
  }

  authenticateToken(
    token: string,
    audiences?: readonly string[],
  ): Promise<AuthenticatedToken | undefined> | AuthenticatedToken | undefined {
    const answers = audiences === undefined ? this.#own : this.#others;
    const key = audiences === undefined ? token : JSON.stringify([token, ...audiences]);
    const known = answers.known.get(key);
    if (known !== undefined) {
      if (known.until > Date.now()) return known.answer;
      this.#drop(answers.known, key);
    }
    const asked = answers.asked.get(key);
    if (asked !== undefined) return asked;
    const asking = this.#ask(answers.known, key, token, audiences).finally(() => answers.asked.delete(key));
    answers.asked.set(key, asking);
    return asking;
  }

  async #ask(
    entries: Map<string, Entry>,
    key: string,
    token: string,
    audiences?: readonly string[],
  ): Promise<AuthenticatedToken | undefined> {
    const answer = await this.#inner.authenticateToken(token, audiences);
    if (answer === undefined) return undefined;
    this.#drop(entries, key);
    entries.set(key, { answer, until: Date.now() + this.#lifetimeMs });
    this.#characters += key.length;
    this.#makeRoom(entries);
    return answer;
  }

  #drop(entries: Map<string, Entry>, key: string): void {
    if (entries.delete(key)) this.#characters -= key.length;
  }

  /** Evicts the oldest entries first, and those of the other map only when that is not enough. */
  #makeRoom(grown: Map<string, Entry>): void {
    for (const entries of [grown, this.#own.known, this.#others.known])
      for (const key of entries.keys()) {
        if (entries.size <= maxEntries && this.#characters <= maxCharacters) break;
        this.#drop(entries, key);
      }
  }
}

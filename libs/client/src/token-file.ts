import { readFileSync } from 'node:fs';

/** How long a token that was read is used. The kubelet rotates tokens long before they expire. */
const lifetimeMs = 60_000;
/** How soon after a failed read, or after the server refused the token, the file is read again. */
const retryMs = 1_000;

/**
 * A file with a bearer token that another program rotates, e.g. the token of a service account in a pod. It is read again once a minute, and
 * soon after the server refused the token. After `NewCachedFileTokenSource` of k8s.io/client-go/transport.
 */
export class TokenFile {
  readonly #path: string;
  readonly #now: () => number;
  #token: string;
  #readAt: number;
  #renewAt: number;

  /** `now` returns milliseconds. Throws Error when the file cannot be read or is empty. */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#now = now;
    this.#token = read(path);
    this.#readAt = now();
    this.#renewAt = this.#readAt + lifetimeMs;
  }

  /** The token; the last one that could be read while the file is unreadable. */
  current(): string {
    const now = this.#now();
    if (now < this.#renewAt) return this.#token;
    try {
      this.#token = read(this.#path);
      this.#renewAt = now + lifetimeMs;
    } catch {
      // The file is being replaced, or is gone: the last token may be valid for some time.
      this.#renewAt = now + retryMs;
    }
    this.#readAt = now;
    return this.#token;
  }

  /** The server refused the token: reads the file again before its time, at most once a second. */
  expire(): void {
    this.#renewAt = Math.min(this.#renewAt, this.#readAt + retryMs);
  }
}

function read(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token === '') throw new Error(`read empty token from file ${JSON.stringify(path)}`);
  return token;
}

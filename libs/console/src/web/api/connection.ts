import { useEffect, useState } from 'preact/hooks';

const probeMs = 1000;

/** Whether the server of the console responds. A request without a response loses the connection; it is probed until there is one. */
class Connection {
  readonly #listeners = new Set<() => void>();
  #lostAt: number | undefined;
  #restored = 0;

  /** Milliseconds since the epoch; undefined while the server responds. */
  get lostAt(): number | undefined {
    return this.#lostAt;
  }

  /** How often the connection came back. */
  get restored(): number {
    return this.#restored;
  }

  lose(): void {
    if (this.#lostAt !== undefined) return;
    this.#lostAt = Date.now();
    this.#tell();
    setTimeout(() => void this.#probe(), probeMs);
  }

  async #probe(): Promise<void> {
    // Only whether there is a response matters: the requests that follow find out whether the session is still known.
    const isThere = await fetch('/icon.svg', { cache: 'no-store' }).then(
      () => true,
      () => false,
    );
    if (!isThere) {
      setTimeout(() => void this.#probe(), probeMs);
      return;
    }
    this.#lostAt = undefined;
    this.#restored++;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Returns the function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export const connection = new Connection();

/** The connection, for views that show it or read again when it came back. */
export function useConnection(): { readonly lostAt: number | undefined; readonly restored: number } {
  const [state, setState] = useState({ lostAt: connection.lostAt, restored: connection.restored });
  useEffect(
    () => connection.subscribe(() => setState({ lostAt: connection.lostAt, restored: connection.restored })),
    [],
  );
  return state;
}

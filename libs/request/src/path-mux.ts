import type { IncomingMessage, ServerResponse } from 'node:http';
import { withoutTrailing } from '@apichain/meta';
import type { RequestContext } from './context.ts';

/** Serves one path, or every path below a prefix. What it throws, the server turns into a Status. */
export type PathHandler = (
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
) => void | Promise<void>;

interface Entry {
  readonly handler: PathHandler;
  readonly listed: boolean;
  /** Slashes at the end of a path do not count. */
  readonly routed?: boolean;
}

/** Handlers by exact path or prefix, which may come and go while the server runs. */
export class PathMux {
  readonly #exact = new Map<string, Entry>();
  readonly #prefixes = new Map<string, Entry>();
  /** Longest first. */
  #prefixOrder: readonly (readonly [string, Entry])[] = [];

  /** `listed` false keeps the path out of the index at `/`. Replaces what the path had. */
  handle(path: string, handler: PathHandler, listed = true): void {
    this.#exact.set(path, { handler, listed });
  }

  /** A path that kube-apiserver gives to its router (emicklei/go-restful): however many slashes may follow it. */
  handleRoute(path: string, handler: PathHandler, listed = true): void {
    this.#exact.set(path, { handler, listed, routed: true });
  }

  /** `prefix` ends with a slash. */
  handlePrefix(prefix: string, handler: PathHandler, listed = true): void {
    if (!prefix.endsWith('/')) throw new Error(`${prefix} must end in a trailing slash`);
    this.#prefixes.set(prefix, { handler, listed });
    this.#sortPrefixes();
  }

  /** Removes the exact path or the prefix of that name. */
  unregister(path: string): void {
    this.#exact.delete(path);
    if (this.#prefixes.delete(path)) this.#sortPrefixes();
  }

  #sortPrefixes(): void {
    this.#prefixOrder = [...this.#prefixes].sort(([a], [b]) => b.length - a.length);
  }

  exact(path: string): PathHandler | undefined {
    const entry = this.#exact.get(path);
    if (entry !== undefined || !path.endsWith('/')) return entry?.handler;
    const route = this.#exact.get(withoutTrailing(path, '/'));
    return route?.routed === true ? route.handler : undefined;
  }

  prefix(path: string): PathHandler | undefined {
    for (const [prefix, entry] of this.#prefixOrder) if (path.startsWith(prefix)) return entry.handler;
    return undefined;
  }

  /** Sorted. */
  listedPaths(): string[] {
    const listed = [...this.#exact, ...this.#prefixes].filter(([, entry]) => entry.listed).map(([path]) => path);
    return [...new Set(listed)].sort();
  }
}

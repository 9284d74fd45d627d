import type { IncomingMessage, ServerResponse } from 'node:http';
import { withoutTrailing } from '@apichain/meta';
import type { RequestContext } from './context.ts';

/** Serves one path, or every path below a prefix. The server converts errors that it throws to a Status. */
export type PathHandler = (
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
) => void | Promise<void>;

interface Entry {
  readonly handler: PathHandler;
  readonly listed: boolean;
  /** Trailing slashes of a path are ignored. */
  readonly routed?: boolean;
}

/** Handlers by exact path or prefix. They can be added and removed while the server runs. */
export class PathMux {
  readonly #exact = new Map<string, Entry>();
  readonly #prefixes = new Map<string, Entry>();
  /** Longest first. */
  #prefixOrder: readonly (readonly [string, Entry])[] = [];

  /** `listed` false omits the path from the index at `/`. Replaces an existing handler of the path. */
  handle(path: string, handler: PathHandler, listed = true): void {
    this.#exact.set(path, { handler, listed });
  }

  /** Adds a path that kube-apiserver registers with its router (emicklei/go-restful), which allows any number of trailing slashes. */
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

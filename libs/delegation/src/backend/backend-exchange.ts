import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectionReason } from '@apichain/admission';
import { newServiceUnavailable, newUnknownError } from '@apichain/meta';
import { clientHeaders, forwardedFor } from '../proxy/client-headers.ts';
import type { ProxyDestination } from '../proxy/destination.ts';
import { Exchange } from '../proxy/exchange.ts';
import { writeStatusError } from '@apichain/request';
import { authorityOf, type Backend } from './backend.ts';
import { posix } from 'node:path';

/** How a request is mapped to a backend. */
interface BackendView {
  /** The path that the client asked for. */
  readonly shown: string;
  /** The path to request from the backend, with the query. */
  readonly path: string;
  /** The path prefix of the backend on this server; redirects within the backend get this prefix. Undefined = redirects are not changed. */
  readonly prefix: string | undefined;
}

/** A backend must not decide which origins may use this server. */
export const isCorsHeader = (name: string): boolean =>
  /^access-control-allow-(?:credentials|headers|methods|origin)$/i.test(name);

/** One request that is forwarded to a backend. Headers with the client's identity are not forwarded. */
export class BackendExchange extends Exchange {
  override readonly destination: ProxyDestination;
  readonly #backend: Backend;
  readonly #view: BackendView;

  constructor(request: IncomingMessage, response: ServerResponse, backend: Backend, view: BackendView) {
    super(request, response);
    const { protocol, host, port, agent } = backend;
    this.destination = { target: { protocol, host, port }, agent };
    this.#backend = backend;
    this.#view = view;
  }

  protected override head() {
    const { request } = this;
    const { path, prefix, shown } = this.#view;
    const headers = clientHeaders(request);
    const { host, ':authority': authority } = request.headers;
    headers['host'] = host ?? String(authority ?? '');
    const from = forwardedFor(request);
    if (from !== undefined) headers['x-forwarded-for'] = from;
    if (prefix !== undefined && !this.isUpgrade) headers['x-forwarded-uri'] = shown;
    return { path, headers };
  }

  protected override identify(): void {
    // The client's identity is not disclosed to a backend.
  }

  protected override inspect(upstream: IncomingMessage, headers: string[]): boolean {
    const { statusCode = 0 } = upstream;
    if (this.isUpgrade) {
      if (statusCode >= 400) return false;
      this.#respondWithError(newUnknownError(`invalid upgrade response: status code ${statusCode}`));
      return true;
    }
    const { prefix } = this.#view;
    for (let i = headers.length - 2; i >= 0; i -= 2) {
      const name = headers[i] ?? '';
      if (isCorsHeader(name)) headers.splice(i, 2);
      else if (prefix !== undefined && name.toLowerCase() === 'location')
        headers[i + 1] = rewriteLocation(headers[i + 1] ?? '', {
          prefix,
          backendHost: authorityOf(this.#backend),
          clientHost: this.request.headers.host ?? '',
        });
    }
    return false;
  }

  protected override refuse(error: Error): void {
    const reason = connectionReason(error);
    this.#respondWithError(
      this.isUpgrade
        ? newUnknownError(`error dialing backend: ${reason}`)
        : newServiceUnavailable(`error trying to reach service: ${reason}`),
    );
  }

  #respondWithError(error: Error & Parameters<typeof writeStatusError>[2]): void {
    writeStatusError(this.request, this.response, error);
  }
}

/** How a backend is exposed by this server. */
interface BackendPlace {
  /** The path prefix of the backend on this server. */
  readonly prefix: string;
  /** The backend's host and port. */
  readonly backendHost: string;
  /** The host name by which the client reached this server. */
  readonly clientHost: string;
}

/**
 * Rewrites a redirect of a backend for a client that goes through this server. A location at the backend gets the prefix; a relative location or
 * one of another host is not changed. After rewriteURL of k8s.io/apimachinery/pkg/util/proxy.
 */
export function rewriteLocation(location: string, { prefix, backendHost, clientHost }: BackendPlace): string {
  const [, scheme = '', host = '', path = '', rest = ''] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/([^/?#]*))?([^?#]*)(.*)$/su.exec(location) ?? [];
  const leadsElsewhere = host !== '' && host !== backendHost && host !== clientHost;
  if (leadsElsewhere || !path.startsWith('/')) return location;
  const origin = host !== '' && host === clientHost ? `${scheme}//${host}` : '';
  return `${origin}${path.startsWith(prefix) ? path : posix.join(prefix, path)}${rest}`;
}

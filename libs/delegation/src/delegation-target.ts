import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestInfo } from '@apichain/request';

/**
 * The next server in the chain, which gets the requests that this server does not serve: over HTTP between services, by function calls when one
 * Node process hosts several servers. The caller's identity is part of the request (see RequestContext) and is passed along.
 */
export interface DelegationTarget {
  /**
   * Serves the request, whatever its path. Responds with 404 when no later server knows the path. A connection that requests an upgrade is taken
   * over only when the server of the path agrees.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | void;
  /**
   * GETs a document (discovery, OpenAPI, health) of the next server with the permissions of the chain itself.
   * Rejects when that server cannot be reached.
   */
  fetch(path: string, headers?: Readonly<Record<string, string>>): Promise<DelegatedDocument>;
  /**
   * Whether the next server, or a later one in the same process, has the resource. Present only for a server in this process; its work is counted
   * here.
   */
  serves?(info: RequestInfo): boolean;
  close(): Promise<void> | void;
}

/** A complete response of the next server to `fetch`. */
export interface DelegatedDocument {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

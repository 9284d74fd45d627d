import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestInfo } from '@apichain/request';

/**
 * The next server in the chain: what this one does not serve is handed to it. Over HTTP between services, in process when one
 * Node process hosts several. The identity of the caller is on the request (see RequestContext) and travels with it.
 */
export interface DelegationTarget {
  /**
   * Serves the request, whatever its path; ends with a 404 of its own when nobody further down knows the path. A connection that asks to be
   * upgraded is taken over only when the server that has the path agrees.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | void;
  /**
   * GETs a document (discovery, OpenAPI, health) of the next server with the rights of the chain itself.
   * Rejects when that server cannot be reached.
   */
  fetch(path: string, headers?: Readonly<Record<string, string>>): Promise<DelegatedDocument>;
  /** Whether that server, running in this process, or one behind it there, has the resource: what it does is counted here. */
  serves?(info: RequestInfo): boolean;
  close(): Promise<void> | void;
}

/** An answer of the next server to `fetch`, read to its end. */
export interface DelegatedDocument {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

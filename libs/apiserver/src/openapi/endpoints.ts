import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, parseJson, parseJsonInSlices, pause } from '@apichain/meta';
import type { DelegatedDocument, DelegationTarget } from '@apichain/delegation';
import type { Logger } from '@apichain/request';
import type { PathHandler, PathMux } from '@apichain/request';
import { findScope } from '@apichain/request';
import { serverVersion } from '@apichain/request';
import { EncodedDocument, asObject, sha512, openApiContentType, openApiForm } from './documents.ts';
import { mergeOpenApiV2 } from './merge.ts';
import type { OpenApiEncoders, OpenApiSource } from './source.ts';

/** The version of the document builder. Part of the ETags, which clients cache for years: increment it when the same input gives another document. */
const formVersion = 5;
const yearMs = 365 * 24 * 3_600_000;
const gzipFrom = 1400;
const v3Prefix = '/openapi/v3/';

export interface OpenApiOptions {
  readonly source: OpenApiSource;
  readonly encoders: OpenApiEncoders;
  /** The next server. Its documents are merged into `/openapi/v2` and listed in `/openapi/v3`. */
  readonly delegate?: DelegationTarget;
  /** Serves v3 documents that this server does not have. */
  readonly passOn: PathHandler;
  readonly logger: Logger;
}

/** `/openapi/v2` and `/openapi/v3[/...]`. https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-interface-definition */
export class OpenApiEndpoints {
  readonly #options: OpenApiOptions;
  readonly #v3 = new Map<string, EncodedDocument>();
  #v2: EncodedDocument | undefined;
  #delegateV2: { readonly etag: string; readonly body: Buffer } | undefined;

  constructor(options: OpenApiOptions) {
    this.#options = options;
  }

  install(paths: PathMux): void {
    const { delegate, passOn } = this.#options;
    paths.handle('/openapi/v2', (_context, request, response) => this.#serveV2(request, response));
    paths.handle('/openapi/v3', (_context, _request, response) => this.#serveIndex(response));
    paths.handlePrefix(v3Prefix, (context, request, response) => {
      const path = (findScope(request)?.path ?? '').slice(v3Prefix.length);
      const document = this.#v3Document(path);
      if (document !== undefined) return this.#serveV3(path, document, request, response);
      if (delegate !== undefined) return passOn(context, request, response);
      empty(response, 404);
      return undefined;
    });
  }

  /** The current document of the whole chain, including the next server's. */
  async v2Document(): Promise<EncodedDocument> {
    const { source, encoders } = this.#options;
    const next = await this.#fetchDelegateV2();
    const etag = sha512(JSON.stringify([formVersion, serverVersion.gitVersion, source.revision, next?.etag ?? '']));
    if (this.#v2?.etag !== etag) {
      const load = async () => {
        const own = await source.v2();
        if (next === undefined) return own;
        const theirs = asObject((await parseJsonInSlices(next.body)).value);
        await pause();
        return mergeOpenApiV2(source.isBehind === true ? [theirs, own] : [own, theirs]);
      };
      this.#v2 = new EncodedDocument(etag, load, (document) => encoders.encodeV2(document));
    }
    return this.#v2;
  }

  async #fetchDelegateV2(): Promise<{ etag: string; body: Buffer } | undefined> {
    const known = this.#delegateV2;
    const received = await this.#fetch('/openapi/v2', known === undefined ? {} : { 'if-none-match': known.etag });
    if (received?.status === 304) return known;
    if (received?.status !== 200) return known;
    this.#delegateV2 = { etag: received.headers['etag'] ?? sha512(received.body), body: received.body };
    return this.#delegateV2;
  }

  /** Undefined when there is no next server, or when it cannot be reached. */
  async #fetch(path: string, headers: Record<string, string>): Promise<DelegatedDocument | undefined> {
    try {
      return await this.#options.delegate?.fetch(path, { accept: 'application/json', ...headers });
    } catch (error) {
      this.#options.logger.warn({ err: error, path }, 'OpenAPI of the next server is not available');
      return undefined;
    }
  }

  async #serveV2(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Vary', ['Accept-Encoding', 'Accept']);
    const form = openApiForm(request.headers.accept, 'v2');
    if (form === undefined) {
      empty(response, 406);
      return;
    }
    const document = await this.v2Document();
    response.setHeader('Content-Type', openApiContentType(form, 'v2'));
    if (notModified(request, response, document.etag)) return;
    response.setHeader('Last-Modified', document.madeAt);
    const zip = (request.headers['accept-encoding'] ?? '').toString().includes('gzip');
    if (zip && (await document.bytes(form)).length >= gzipFrom) {
      response.setHeader('Content-Encoding', 'gzip');
      send(response, await document.zipped(form));
    } else send(response, await document.bytes(form));
  }

  #v3Document(path: string): EncodedDocument | undefined {
    const { source, encoders } = this.#options;
    const revision = source.v3Paths().get(path);
    if (revision === undefined) {
      this.#v3.delete(path);
      return undefined;
    }
    const etag = sha512(JSON.stringify([formVersion, serverVersion.gitVersion, path, revision]));
    let document = this.#v3.get(path);
    if (document?.etag !== etag) {
      document = new EncodedDocument(
        etag,
        () => source.v3(path),
        (json) => encoders.encodeV3(json),
      );
      this.#v3.set(path, document);
    }
    return document;
  }

  async #serveV3(
    path: string,
    document: EncodedDocument,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.setHeader('Vary', 'Accept');
    const form = openApiForm(request.headers.accept, 'v3');
    if (form === undefined) {
      empty(response, 406);
      return;
    }
    response.setHeader('Content-Type', openApiContentType(form, 'v3'));
    const hash = findScope(request)?.query.text('hash') ?? '';
    if (hash !== '' && hash !== document.etag) {
      response.setHeader('ETag', `"${document.etag}"`);
      response.setHeader('Location', urlOf(path, document.etag));
      empty(response, 301);
      return;
    }
    if (hash !== '') {
      response.setHeader('Cache-Control', 'public, immutable');
      response.setHeader('Expires', new Date(Date.now() + yearMs).toUTCString());
    }
    if (notModified(request, response, document.etag)) return;
    response.setHeader('Last-Modified', document.madeAt);
    send(response, await document.bytes(form));
  }

  async #serveIndex(response: ServerResponse): Promise<void> {
    const paths: Record<string, { serverRelativeURL: string }> = await this.#delegatePaths();
    const { source } = this.#options;
    for (const path of source.v3Paths().keys()) {
      if (source.isBehind === true && Object.hasOwn(paths, path)) continue;
      const etag = this.#v3Document(path)?.etag;
      if (etag !== undefined) paths[path] = { serverRelativeURL: urlOf(path, etag) };
    }
    const sorted = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
    const body = Buffer.from(JSON.stringify({ paths: sorted }));
    // Go sniffs the content type of the index from its bytes, and builds the index for every request.
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.setHeader('Last-Modified', new Date().toUTCString());
    send(response, body);
  }

  async #delegatePaths(): Promise<Record<string, { serverRelativeURL: string }>> {
    const received = await this.#fetch('/openapi/v3', {});
    const found: Record<string, { serverRelativeURL: string }> = {};
    if (received?.status !== 200) return found;
    const listed = asObject(parseJson(received.body))['paths'];
    if (!isJsonObject(listed)) return found;
    for (const [path, entry] of Object.entries(listed)) {
      const url = isJsonObject(entry) ? entry['serverRelativeURL'] : undefined;
      if (typeof url === 'string') found[path] = { serverRelativeURL: url };
    }
    return found;
  }
}

const urlOf = (path: string, etag: string) => `${v3Prefix}${path}?hash=${etag}`;

/** Sets the ETag, and answers 304 when the client has the current document. */
function notModified(request: IncomingMessage, response: ServerResponse, etag: string): boolean {
  const quoted = `"${etag}"`;
  response.setHeader('ETag', quoted);
  const asked = request.headers['if-none-match'];
  if (asked === undefined || !asked.split(',').some((tag) => tag.trim() === quoted || tag.trim() === '*')) return false;
  response.removeHeader('Content-Type');
  empty(response, 304);
  return true;
}

function empty(response: ServerResponse, code: number): void {
  response.writeHead(code);
  response.end();
}

function send(response: ServerResponse, body: Buffer): void {
  response.setHeader('Content-Length', body.length);
  response.writeHead(200);
  response.end(body);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { currentSpan } from '@apichain/client';
import { indentJson, inTurns, newUnknownError, pause, YamlError, yamlText, type Status } from '@apichain/meta';
import { encodeCbor } from '@apichain/scheme';
import { mayRespond, mayRespondInstead } from '../respond-once.ts';
import type { RequestAudit } from '../audit/request-audit.ts';
import { findScope, wireFormatsOf } from '../request-scope.ts';
import { toStatusError } from '../status-error.ts';
import { plainRestrictions, restrictionsBesideCbor, tryNegotiateOutput, type OutputMediaType } from './accept.ts';
import { listPieces, type Document, type ListDocument } from './document.ts';
import type { JoinedBytes } from './joined-bytes.ts';
import type { ProtobufCodec } from './protobuf.ts';
import { sendObserved } from './observed-document.ts';
import { noQuery, type Query } from './query.ts';
import { sendPieces, wholeBytes } from './send-pieces.ts';
import { acceptsGzip, writePieces } from './write-pieces.ts';

const compress = promisify(gzip);
/** Smaller responses are not compressed. */
const gzipThreshold = 128 * 1024;
const lineFeed = Buffer.from('\n');

/** Whether JSON is indented: the client asks for it, or its user agent is curl, Wget or a browser. */
function wantsPretty(request: IncomingMessage, query: Query, output: OutputMediaType): boolean {
  if (output.pretty) return true;
  const pretty = query.text('pretty');
  if (pretty !== '') return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(pretty);
  const agent = request.headers['user-agent'] ?? '';
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}

/** Sends one document; JSON ends with a line feed unless it is indented. */
export async function writeBytes(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  contentType: string,
  body: Buffer,
  ending?: Buffer,
): Promise<void> {
  if (body.length > gzipThreshold && acceptsGzip(request)) {
    const whole = ending === undefined ? body : Buffer.concat([body, ending]);
    const packed = await compress(whole, { level: 1 });
    // Nothing is set before this point: the deadline may respond meanwhile, and its response must not carry headers of this one.
    if (!mayRespond(response)) return;
    response.statusCode = code;
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('Content-Length', packed.length);
    response.end(packed);
    return;
  }
  if (!mayRespond(response)) return;
  response.statusCode = code;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', body.length + (ending?.length ?? 0));
  if (ending === undefined) {
    response.end(body);
    return;
  }
  response.cork();
  response.write(body);
  response.end(ending);
  response.uncork();
}

/** Sends a document that may be large and need not be in memory as a whole. */
async function writeJoined(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  contentType: string,
  body: JoinedBytes,
): Promise<void> {
  if (body.length <= wholeBytes) return writeBytes(request, response, code, contentType, body.toBuffer());
  if (acceptsGzip(request)) {
    const whole = (bytes: Buffer) => writeBytes(request, response, code, contentType, bytes);
    return writePieces(request, response, { code, contentType }, body.copiedPieces(), whole);
  }
  if (!mayRespond(response)) return;
  response.statusCode = code;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', body.length);
  return sendPieces(response, body);
}

/** Sends a document in the representation that was negotiated. */
export async function writeDocument(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  document: Document,
  output: OutputMediaType,
  query: Query,
): Promise<void> {
  const { audit, track } = findScope(request) ?? {};
  const span = currentSpan();
  if (track === undefined && span === undefined) return send(request, response, code, document, output, query);
  if (audit !== undefined) await noteResponse(audit, document);
  return sendObserved(document, output.serializer.mediaType, { track, span }, (observed) =>
    send(request, response, code, observed, output, query),
  );
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  document: Document,
  output: OutputMediaType,
  query: Query,
): Promise<void> {
  const { mediaType, name } = output.serializer;
  if ('list' in document) return sendList(request, response, code, document, output, query);
  switch (name) {
    case 'json':
      if (wantsPretty(request, query, output)) {
        return writeBytes(request, response, code, mediaType, Buffer.from(indentJson(await document.value())));
      }
      return writeWhole(request, response, code, mediaType, document.json(), lineFeed);
    case 'yaml':
      return writeBytes(request, response, code, mediaType, await yamlOf(await document.value()));
    case 'protobuf':
      return writeWhole(request, response, code, mediaType, document.protobuf());
    case 'cbor':
      return writeBytes(request, response, code, mediaType, encodeCbor(await document.value()));
  }
}

/** A body that is there is written at once: an error must be written before the response that failed can be. */
async function writeWhole(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  contentType: string,
  body: Buffer | Promise<Buffer>,
  ending?: Buffer,
): Promise<void> {
  return writeBytes(request, response, code, contentType, body instanceof Promise ? await body : body, ending);
}

function sendList(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  { list }: ListDocument,
  output: OutputMediaType,
  query: Query,
): Promise<void> {
  const { mediaType, name } = output.serializer;
  const form = name === 'json' && wantsPretty(request, query, output) ? 'pretty' : name;
  const joined = form === 'json' ? list.joined?.(lineFeed) : undefined;
  if (joined !== undefined) return writeJoined(request, response, code, mediaType, joined);
  const whole = (body: Buffer) => writeBytes(request, response, code, mediaType, body);
  return writePieces(request, response, { code, contentType: mediaType }, listPieces(list, form, lineFeed), whole);
}

async function noteResponse(audit: RequestAudit, document: Document): Promise<void> {
  if ('status' in document && document.status !== undefined) audit.logResponseStatus(document.status);
  const text = audit.wantsResponse ? await textOf(document) : '';
  audit.logResponseObject(() => text);
}

/** Throws a Status without a reason when the document has characters that YAML cannot represent. */
async function yamlOf(value: unknown): Promise<Buffer> {
  try {
    return Buffer.from(await inTurns(yamlText(value)));
  } catch (error) {
    if (error instanceof YamlError) throw newUnknownError(error.message);
    throw error;
  }
}

/** The whole document as JSON, for the audit log. */
async function textOf(document: Document): Promise<string> {
  if (!('list' in document)) return (await document.json()).toString();
  let text = '';
  for (const piece of document.list.json(Buffer.alloc(0))) {
    if (piece instanceof Promise) await piece;
    else text += piece?.toString() ?? '';
    await pause();
  }
  return text;
}

async function writeStatus(
  request: IncomingMessage,
  response: ServerResponse,
  status: Status,
  protobuf: ProtobufCodec | undefined,
): Promise<void> {
  const scope = findScope(request);
  const restrictions = scope?.cborErrors === true ? plainRestrictions : restrictionsBesideCbor;
  const output = tryNegotiateOutput(request.headers.accept, restrictions, wireFormatsOf(request));
  if (output === undefined)
    return writeBytes(request, response, status.code, 'application/json', Buffer.from(indentJson(status)));
  const query = scope?.query ?? noQuery;
  const json = () => Buffer.from(JSON.stringify(status));
  // Without a codec the response is JSON, so that the client still sees the error.
  const known = output.serializer.name === 'protobuf' && protobuf === undefined ? undefined : output;
  if (known === undefined) return writeBytes(request, response, status.code, 'application/json', json(), lineFeed);
  return writeDocument(
    request,
    response,
    status.code,
    {
      status,
      json,
      value: () => status,
      protobuf: () => protobuf?.encode({ ...status }) ?? json(),
    },
    known,
    query,
  );
}

/**
 * Writes the Status of a failure in the caller's representation, or as indented JSON when the caller accepts none.
 * Source: ErrorNegotiated of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters.
 */
export async function writeError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  protobuf?: ProtobufCodec,
): Promise<void> {
  if (!mayRespondInstead(response)) return;
  const { status } = toStatusError(error);
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  if (retryAfter > 0) response.setHeader('Retry-After', String(retryAfter));
  await writeStatus(request, response, status, protobuf);
}

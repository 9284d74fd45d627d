import type { IncomingMessage } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { errorMessage, parseJson, stringifyJson } from '@apichain/meta';
import { negotiateInput, parseBody } from '@apichain/request';
import type { RequestScope } from '@apichain/request';
import type { ObjectReference, ResponseStatus } from '@apichain/request';
import type { AuditLevel } from '@apichain/request';
import { watchResponse, type LatencyPart, type RequestAudit } from '@apichain/request';

/*
 * A request is audited once, by the server that the client connects to, even if a later server of the chain serves it. The later server
 * returns its audit data in a response header, if a request header asks for it. Both headers are only sent within the chain.
 */

/** In a request: the level of data wanted, `Metadata` or `Request`. In a response: Notes. */
export const relayHeader = 'X-Apichain-Audit';
const lowerRelayHeader = relayHeader.toLowerCase();

/** Long headers are slow to parse. Above this size the request object is left out, and the first server uses the body that it has sent. */
const maxBytes = 256 * 1024;

/** The level for the request header. The response object need not be returned, because the first server sees the response. */
export const wantedOf = (audit: RequestAudit): AuditLevel => (audit.wantsRequest ? 'Request' : 'Metadata');

interface Notes {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly latencies?: readonly (readonly [LatencyPart, number])[];
  readonly target?: ObjectReference;
  readonly responseStatus?: ResponseStatus;
  readonly requestObject?: string;
  /** The request object was left out; it equals the body that was sent. */
  readonly isAsSent?: boolean;
  readonly answersObject?: boolean;
  readonly panic?: string;
}

/** Returns audit data to the previous server if its request asks for it. Must be called only for requests of the chain. */
export function relayNotes({ headers }: IncomingMessage, scope: RequestScope): void {
  const wanted = headers[lowerRelayHeader];
  if (wanted !== 'Metadata' && wanted !== 'Request') return;
  const audit = scope.noteForAudit(wanted);
  let panic: string | undefined;
  audit.onPanic((error) => (panic = errorMessage(error)));
  watchResponse(scope.response, {
    head: () => scope.response.setHeader(relayHeader, headerOf(audit, panic)),
    end: () => undefined,
  });
}

/** The value of the response header. `panic` is the error message of a failed handler. */
export function headerOf(audit: RequestAudit, panic: string | undefined): string {
  const { annotations, latencies, target, responseStatus, requestObject, answersObject } = audit;
  const notes = {
    annotations,
    latencies: [...latencies],
    target,
    answersObject,
    ...(responseStatus === undefined ? {} : { responseStatus }),
    ...(panic === undefined ? {} : { panic }),
  };
  if (requestObject === undefined) return ascii(stringifyJson(notes));
  const json = stringifyJson({ ...notes, requestObject });
  const whole = json.length > maxBytes ? undefined : ascii(json);
  if (whole !== undefined && whole.length <= maxBytes) return whole;
  const packed = pack(json);
  return packed.length <= maxBytes ? packed : ascii(stringifyJson({ ...notes, isAsSent: true }));
}

const packedPrefix = 'gzip:';

/** Objects of this size are repetitive, so most fit into a header when compressed. */
const pack = (json: string): string => packedPrefix + gzipSync(json, { level: 1 }).toString('base64');

const unpack = (header: string): string =>
  header.startsWith(packedPrefix)
    ? gunzipSync(Buffer.from(header.slice(packedPrefix.length), 'base64')).toString()
    : header;

/** Escapes JSON to the characters that are allowed in a header. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Applies the audit data of the next server. */
function takeNotes(scope: RequestScope, audit: RequestAudit, header: string): void {
  const notes = parseJson(unpack(header)) as Notes;
  for (const [key, value] of Object.entries(notes.annotations ?? {})) audit.annotate(key, value);
  for (const [part, milliseconds] of notes.latencies ?? []) audit.track(part, milliseconds);
  if (notes.target !== undefined) audit.target = notes.target;
  if (notes.responseStatus !== undefined) audit.responseStatus = notes.responseStatus;
  audit.requestObject = notes.isAsSent === true ? sentJson(scope) : notes.requestObject;
  audit.answersObject = notes.answersObject === true;
  if (notes.panic !== undefined) audit.panicked(new Error(notes.panic));
}

/**
 * Applies the audit data in the headers of a response, and removes it from the flat list of headers. Returns whether the response
 * body is an object that must be recorded.
 */
export function takeNotesOf(scope: RequestScope, headers: string[]): boolean {
  const { audit } = scope;
  if (audit === undefined) return false;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() !== lowerRelayHeader) continue;
    takeNotes(scope, audit, headers[i + 1] ?? '{}');
    headers.splice(i, 2);
    break;
  }
  return audit.wantsResponse && audit.answersObject;
}

/** Records the response body as an object, whatever its encoding. */
export function keepResponse(scope: RequestScope, headers: readonly string[], body: Buffer): void {
  const value = (name: string) => {
    const at = headers.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name);
    return at < 0 ? '' : (headers[at + 1] ?? '');
  };
  const isPacked = value('content-encoding') === 'gzip';
  const json = jsonOf(scope, value('content-type'), isPacked ? gunzipSync(body) : body);
  if (json !== undefined) scope.audit?.logResponseObject(() => json);
}

/** Keeps a copy of a request body that is sent to the next server. */
export function keepSent(request: IncomingMessage, scope: RequestScope): void {
  const { audit } = scope;
  if (audit?.wantsRequest === true) request.on('data', (chunk: Buffer) => audit.sent.push(chunk));
}

function sentJson(scope: RequestScope): string | undefined {
  const { request, audit } = scope;
  const type = request.headers['content-type'] ?? '';
  const format = yamlPatch.test(type) ? 'application/yaml' : type.replace(jsonPatch, 'application/json');
  return jsonOf(scope, format, Buffer.concat(audit?.sent ?? []));
}

const yamlPatch = /^application\/apply-patch\+yaml/;
const jsonPatch = /^application\/[a-z-]+\+json/;

/** The document as one line of JSON; undefined if it cannot be decoded. */
function jsonOf(scope: RequestScope, contentType: string, bytes: Buffer): string | undefined {
  try {
    const format = negotiateInput(contentType, scope.runtime.formats);
    // JSON written by this project is a single line, unless it is pretty-printed.
    if (format.name === 'json' && bytes.indexOf('\n') === bytes.length - 1)
      return bytes.toString('utf8', 0, bytes.length - 1);
    const { protobuf } = scope.runtime;
    if (format.name === 'protobuf') return stringifyJson(protobuf?.decodeCanonical?.(bytes) ?? protobuf?.decode(bytes));
    return stringifyJson(parseBody(bytes, format, false, protobuf).value);
  } catch (error) {
    // If the body cannot be decoded, the event has no object. The client gets the body unchanged.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

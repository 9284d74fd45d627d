import type { IncomingMessage } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { errorMessage, parseJson, stringifyJson } from '@apichain/meta';
import { negotiateInput, parseBody } from '@apichain/request';
import type { RequestScope } from '@apichain/request';
import type { ObjectReference, ResponseStatus } from '@apichain/request';
import type { AuditLevel } from '@apichain/request';
import { RequestAudit, type LatencyPart } from '@apichain/request';
import { watchResponse } from './response-watch.ts';

/*
 * A request is audited once, by the server that its client talks to, and served by one further down. That one sends back what it notes about
 * the request in a header of the answer, when it is asked to by a header of the request. Both stay between the servers of the chain.
 */

/** Of a request: how much is wanted, `Metadata` or `Request`. Of the answer: Notes. */
export const relayHeader = 'X-Apichain-Audit';
const lowerRelayHeader = relayHeader.toLowerCase();

/** Long headers are slow to read: what was sent with the request is left out then, and told as it was sent. */
const maxBytes = 256 * 1024;

/** How the header of the request tells what is wanted: what is answered, the asking server sees itself. */
export const wantedOf = (audit: RequestAudit): AuditLevel => (audit.wantsRequest ? 'Request' : 'Metadata');

interface Notes {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly latencies?: readonly (readonly [LatencyPart, number])[];
  readonly target?: ObjectReference;
  readonly responseStatus?: ResponseStatus;
  readonly requestObject?: string;
  /** It is what was sent. */
  readonly isAsSent?: boolean;
  readonly answersObject?: boolean;
  readonly panic?: string;
}

/** Sends what is noted about the request back to the server before this one, if that asks for it. Only for requests of the chain. */
export function relayNotes({ headers }: IncomingMessage, scope: RequestScope): void {
  const wanted = headers[lowerRelayHeader];
  if (wanted !== 'Metadata' && wanted !== 'Request') return;
  const audit = new RequestAudit(wanted);
  let panic: string | undefined;
  audit.onPanic((error) => (panic = errorMessage(error)));
  scope.audit = audit;
  watchResponse(scope.response, {
    head: () => scope.response.setHeader(relayHeader, headerOf(audit, panic)),
    end: () => undefined,
  });
}

/** `panic` is what a handler failed with. */
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

/** Objects as large as that repeat themselves: most fit into a header when they are packed. */
const pack = (json: string): string => packedPrefix + gzipSync(json, { level: 1 }).toString('base64');

const unpack = (header: string): string =>
  header.startsWith(packedPrefix)
    ? gunzipSync(Buffer.from(header.slice(packedPrefix.length), 'base64')).toString()
    : header;

/** JSON in the characters that a header may have. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Takes over what the next server has noted. */
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
 * Takes over the notes among the headers of an answer, a flat list from which they are removed. Returns whether the body of the answer is
 * an object that is to be kept.
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

/** Keeps the body of an answer as the object that it is, whatever it is written in. */
export function keepAnswer(scope: RequestScope, headers: readonly string[], body: Buffer): void {
  const value = (name: string) => {
    const at = headers.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name);
    return at < 0 ? '' : (headers[at + 1] ?? '');
  };
  const isPacked = value('content-encoding') === 'gzip';
  const json = jsonOf(scope, value('content-type'), isPacked ? gunzipSync(body) : body);
  if (json !== undefined) scope.audit?.logResponseObject(() => json);
}

/** Keeps a copy of a body on its way to the next server. */
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

/** The document as one line of JSON; undefined when it is none. */
function jsonOf(scope: RequestScope, contentType: string, bytes: Buffer): string | undefined {
  try {
    const format = negotiateInput(contentType);
    // What is written by us is one line, unless it is meant for people.
    if (format.name === 'json' && bytes.indexOf('\n') === bytes.length - 1)
      return bytes.toString('utf8', 0, bytes.length - 1);
    const { protobuf } = scope;
    if (format.name === 'protobuf') return stringifyJson(protobuf?.decodeCanonical?.(bytes) ?? protobuf?.decode(bytes));
    return stringifyJson(parseBody(bytes, format, false, protobuf).value);
  } catch (error) {
    // An event does without what cannot be read; the client has it as it is.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

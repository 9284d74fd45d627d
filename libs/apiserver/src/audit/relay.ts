import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { parseJson, stringifyJson } from '@apichain/meta';
import { BodySyntaxError, negotiateInput, parseBody } from '../negotiation/parse-body.ts';
import type { RequestScope } from '../request-scope.ts';
import type { ObjectReference, ResponseStatus } from './event.ts';
import type { AuditLevel } from './policy.ts';
import { RequestAudit, type LatencyPart } from './request-audit.ts';
import { watchResponse } from './response-watch.ts';

/*
 * A request is audited once, by the server that its client talks to, and served by one further down. That one sends back what it notes about
 * the request in a header of the answer, when it is asked to by a header of the request. Both stay between the servers of the chain.
 */

/** Of a request: how much is wanted, `Metadata` or `Request`. Of the answer: Notes. */
export const relayHeader = 'X-Apichain-Audit';
const lowerRelayHeader = relayHeader.toLowerCase();

/** Larger headers would not be read; what was sent with the request is left out then. */
const maxBytes = 12 * 1024 * 1024;

/** How the header of the request tells what is wanted: what is answered, the asking server sees itself. */
export const wantedOf = (audit: RequestAudit): AuditLevel => (audit.wantsRequest ? 'Request' : 'Metadata');

interface Notes {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly latencies?: readonly (readonly [LatencyPart, number])[];
  readonly target?: ObjectReference;
  readonly responseStatus?: ResponseStatus;
  readonly requestObject?: string;
  readonly answersObject?: boolean;
  readonly panic?: string;
}

/** Sends what is noted about the request back to the server before this one, if that asks for it. Only for requests of the chain. */
export function relayNotes({ headers }: IncomingMessage, scope: RequestScope): void {
  const wanted = headers[lowerRelayHeader];
  if (wanted !== 'Metadata' && wanted !== 'Request') return;
  const audit = new RequestAudit(wanted);
  let panic: string | undefined;
  audit.onPanic((error) => (panic = error instanceof Error ? error.message : String(error)));
  scope.audit = audit;
  watchResponse(scope.response, {
    head: () => scope.response.setHeader(relayHeader, headerOf(audit, panic)),
    end: () => undefined,
  });
}

function headerOf(audit: RequestAudit, panic: string | undefined): string {
  const { annotations, latencies, target, responseStatus, requestObject, answersObject } = audit;
  const notes = {
    annotations,
    latencies: [...latencies],
    target,
    answersObject,
    ...(responseStatus === undefined ? {} : { responseStatus }),
    ...(panic === undefined ? {} : { panic }),
  };
  const whole = ascii(stringifyJson(requestObject === undefined ? notes : { ...notes, requestObject }));
  return whole.length <= maxBytes ? whole : ascii(stringifyJson(notes));
}

/** JSON in the characters that a header may have. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Takes over what the next server has noted. */
export function takeNotes(audit: RequestAudit, header: string): void {
  const notes = parseJson(header) as Notes;
  for (const [key, value] of Object.entries(notes.annotations ?? {})) audit.annotate(key, value);
  for (const [part, milliseconds] of notes.latencies ?? []) audit.track(part, milliseconds);
  if (notes.target !== undefined) audit.target = notes.target;
  if (notes.responseStatus !== undefined) audit.responseStatus = notes.responseStatus;
  if (notes.requestObject !== undefined) audit.requestObject = notes.requestObject;
  audit.answersObject = notes.answersObject === true;
  if (notes.panic !== undefined) audit.panicked(new Error(notes.panic));
}

/**
 * Takes over the notes among the headers of an answer, a flat list from which they are removed. Returns whether the body of the answer is
 * an object that is to be kept.
 */
export function takeNotesOf(audit: RequestAudit, headers: string[]): boolean {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() !== lowerRelayHeader) continue;
    takeNotes(audit, headers[i + 1] ?? '{}');
    headers.splice(i, 2);
    break;
  }
  return audit.wantsResponse && audit.answersObject;
}

/** Keeps the body of an answer as the object that it is, whatever it is written in. */
export function keepAnswer(scope: RequestScope, headers: readonly string[], body: Buffer): void {
  const json = jsonOf(scope, headers, body);
  if (json !== undefined) scope.audit?.logResponseObject(() => json);
}

function jsonOf(scope: RequestScope, headers: readonly string[], body: Buffer): string | undefined {
  const value = (name: string) => {
    const at = headers.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name);
    return at < 0 ? '' : (headers[at + 1] ?? '');
  };
  try {
    const bytes = value('content-encoding') === 'gzip' ? gunzipSync(body) : body;
    const format = negotiateInput(value('content-type'));
    // What is written by us is one line, unless it is meant for people.
    if (format.name === 'json' && bytes.indexOf('\n') === bytes.length - 1) return bytes.toString('utf8', 0, bytes.length - 1);
    return stringifyJson(parseBody(bytes, format, false, scope.protobuf).value);
  } catch (error) {
    if (error instanceof BodySyntaxError || error instanceof Error) return undefined;
    throw error;
  }
}

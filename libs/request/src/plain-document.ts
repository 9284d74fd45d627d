import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatusError, newNotAcceptable, type KubeObject } from '@apichain/meta';
import { acceptsAny, negotiateOutput, plainRestrictions, restrictionsBesideCbor } from './negotiation/accept.ts';
import { standardFormats } from './negotiation/media-types.ts';
import { noQuery } from './negotiation/query.ts';
import { writeDocument } from './negotiation/write-response.ts';
import { findScope, wireFormatsOf } from './request-scope.ts';

/** The 406 when the Accept header names none of the path's media types. */
const newNoRepresentation = (mediaTypes: readonly string[]): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(', ')}`,
    reason: 'NotAcceptable',
    details: {},
    code: 406,
  });

/**
 * What the router of a built-in path checks before it calls the handler: only GET, and a media type that is named exactly. Paths of other kinds
 * accept any method. Throws MethodNotAllowed and NotAcceptable.
 */
export function checkRoute(request: IncomingMessage, mediaTypes: readonly string[]): void {
  if (request.method !== 'GET') throw newMethodNotAllowed();
  if (!acceptsAny(request.headers.accept, mediaTypes)) throw newNoRepresentation(mediaTypes);
}

/**
 * Sends a document that the server generated, such as a discovery document, in the caller's representation. Throws 406.
 * `cbor`: whether that may be CBOR. It may for the resources of a built-in version, but not for those of custom resources, and not for
 * groups: clients that prefer CBOR for objects ask for discovery with the same Accept header, and cannot read it in CBOR.
 */
export function writePlainDocument(
  request: IncomingMessage,
  response: ServerResponse,
  document: unknown,
  { cbor = false } = {},
): Promise<void> {
  const output = negotiateOutput(
    request.headers.accept,
    cbor ? plainRestrictions : restrictionsBesideCbor,
    wireFormatsOf(request),
  );
  const value = {
    json: () => Buffer.from(JSON.stringify(document)),
    value: () => document,
    protobuf: () => encodeProtobuf(request, document),
  };
  return writeDocument(request, response, 200, value, output, findScope(request)?.query ?? noQuery);
}

function encodeProtobuf(request: IncomingMessage, document: unknown): Buffer {
  const codec = findScope(request)?.runtime.protobuf;
  if (codec === undefined || !isObject(document)) {
    throw newNotAcceptable(
      `only the following media types are accepted: ${standardFormats.objectMediaTypes.slice(0, 2).join(', ')}`,
    );
  }
  // Some discovery documents carry no apiVersion, not even on their envelopes.
  return codec.encode('apiVersion' in document ? document : Object.assign({ apiVersion: '' }, document));
}

const isObject = (value: unknown): value is KubeObject =>
  typeof value === 'object' && value !== null && 'kind' in value;

/** The 405 of a path that exists, but does not allow this method. */
export const newMethodNotAllowed = (): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  });

import {
  isRecord,
  newGenericServerResponse,
  parseJson,
  serverResponseMessage,
  StatusError,
  type GroupResource,
  type Status,
} from '@apichain/meta';
import type { TransportResponse } from './transport.ts';

const maxTextBytes = 2048;

/**
 * client-go's message for a response that is neither a success nor a Status: a text for the code, and the body if it is text. `contentType` is empty
 * if that header is absent. Source: newUnstructuredResponseError of k8s.io/client-go/rest.
 */
export function unstructuredErrorText(status: number, contentType: string, body: Buffer): string {
  return serverResponseMessage(status, textOf(contentType, body));
}

function textOf(contentType: string, body: Buffer): string {
  const [mediaType = ''] = contentType.split(';');
  const isText = contentType === '' || mediaType.trim().toLowerCase().startsWith('text/');
  return isText ? body.toString('utf8', 0, maxTextBytes).trim() : 'unknown';
}

/** Like unstructuredErrorText, but returns the message of the Status if the body is one. */
export function responseErrorText(status: number, contentType: string, body: Buffer): string {
  const { message = '' } = statusIn(body) ?? {};
  return message === '' ? unstructuredErrorText(status, contentType, body) : message;
}

/** A request that was refused: its method and, if it was about a resource, which. */
interface RefusedRequest {
  readonly method: string;
  readonly resource?: GroupResource | undefined;
  readonly name?: string | undefined;
}

/**
 * The error for a response of 400 and above: its Status or, for a response without one, the reason and message of its code. `retryAfterSeconds` is
 * that of the header Retry-After, unless the Status has it. Source: newUnstructuredResponseError of k8s.io/client-go/rest.
 */
export function responseError(
  { method, resource = { group: '', resource: '' }, name = '' }: RefusedRequest,
  { status: code, headers }: Pick<TransportResponse, 'status' | 'headers'>,
  body: Buffer,
): StatusError {
  const status = statusIn(body);
  const [contentType = ''] = [headers['content-type']].flat();
  const [retryAfter = ''] = [headers['retry-after']].flat();
  const retryAfterSeconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  if (status !== undefined) {
    const details = retryAfterSeconds === undefined ? status.details : { retryAfterSeconds, ...status.details };
    return new StatusError({ ...status, code: status.code ?? code, ...(details !== undefined && { details }) });
  }
  return newGenericServerResponse(code, resource, name, textOf(contentType, body), {
    verb: method.toLowerCase(),
    isUnexpected: true,
    retryAfterSeconds,
  });
}

type GivenStatus = Omit<Status, 'code'> & Partial<Pick<Status, 'code'>>;

/** The Status in a body; undefined if the body is something else. */
function statusIn(body: Buffer): GivenStatus | undefined {
  if (body[0] !== openingBrace) return undefined;
  try {
    const document = parseJson(body);
    return isStatus(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

const openingBrace = 0x7b;

const isStatus = (value: unknown): value is GivenStatus =>
  isRecord(value) &&
  value['kind'] === 'Status' &&
  ['undefined', 'string'].includes(typeof value['message']) &&
  ['undefined', 'number'].includes(typeof value['code']);

import { maxShownText, shownErrors, textOfShown, type FieldError } from './field-error.ts';
import { goQuote, shortened } from '@apichain/go-text';
import { formatGroupKind, formatGroupResource, type GroupKind, type GroupResource } from './types.ts';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** `details` of a Status (StatusDetails of meta/v1). */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** meta/v1 Status: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

/** A failure that the client receives as a Status. Request handlers throw only this error on purpose. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;
  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'unknown');
    this.status = status;
  }
  get code(): number {
    return this.status.code;
  }
  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** Whether an error is a StatusError, with the given `reason`, such as `NotFound`, if there is one. */
export function isStatusError(error: unknown, reason?: string): error is StatusError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** Whether a write failed because its namespace is terminating. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  isStatusError(error) && (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');

/** Whether a write failed because its namespace is terminating, or because the namespace or the object is gone. Such a failure needs no retry. */
export const isNamespaceGoing = (error: unknown): boolean =>
  isNamespaceTerminating(error) || (isStatusError(error) && error.code === 404);

/** The longest message in characters: the errors that it lists, and some words around them. */
const maxMessage = 2 * maxShownText;

function failure(code: number, reason: string | undefined, message: string, details?: StatusDetails): StatusError {
  // The members are in the order in which Go writes them.
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: shortened(message, maxMessage),
    ...(reason === undefined || reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

const resourceDetails = (gr: GroupResource, name: string, more: Partial<StatusDetails> = {}): StatusDetails => {
  const details: StatusDetails = {};
  if (name !== '') details.name = name.toWellFormed();
  if (gr.group !== '') details.group = gr.group;
  if (gr.resource !== '') details.kind = gr.resource;
  return { ...details, ...more };
};

/* The catalogue: one function per failure. Names and messages are those of k8s.io/apimachinery/pkg/api/errors. */
/** 404: no object has this name. */
export const newNotFound = (gr: GroupResource, name: string): StatusError =>
  failure(404, 'NotFound', `${formatGroupResource(gr)} ${goQuote(name)} not found`, resourceDetails(gr, name));

/** 404: the path is unknown: `the server could not find the requested resource`. */
export const newGenericNotFound = (): StatusError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});

/** 409: an object of this name exists already. */
export const newAlreadyExists = (gr: GroupResource, name: string): StatusError =>
  failure(
    409,
    'AlreadyExists',
    `${formatGroupResource(gr)} ${goQuote(name)} already exists`,
    resourceDetails(gr, name),
  );

/** 409: no free name was found for `generateName`. Retry-After in seconds. */
export const newGenerateNameConflict = (gr: GroupResource, name: string, retryAfterSeconds: number): StatusError =>
  failure(
    409,
    'AlreadyExists',
    `${formatGroupResource(gr)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    resourceDetails(gr, name, { retryAfterSeconds }),
  );

/** 409: the write conflicts with the stored object; `cause` says how. */
export const newConflict = (gr: GroupResource, name: string, cause: string): StatusError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${formatGroupResource(gr)} ${goQuote(name)}: ${cause}`,
    resourceDetails(gr, name),
  );

/** The cause of a conflict with another write (OptimisticLockErrorMsg of k8s.io/apiserver). */
export const optimisticLockMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 409: conflicts of server-side apply; `message` and `causes` come from the merge engine. */
export const newApplyConflict = (causes: StatusCause[], message: string): StatusError =>
  failure(409, 'Conflict', message, { causes });

/** 401: the credentials are invalid, or required and missing. */
export const newUnauthorized = (message = 'Unauthorized'): StatusError => failure(401, 'Unauthorized', message);

/** 403: the user's permissions or admission forbid the request. Without a resource, `cause` is the whole message. */
export const newForbidden = (gr: GroupResource, name: string, cause: string): StatusError => {
  const message =
    gr.resource === ''
      ? `forbidden: ${cause}`
      : `${formatGroupResource(gr)}${name === '' ? '' : ` ${goQuote(name)}`} is forbidden: ${cause}`;
  return failure(403, 'Forbidden', message, resourceDetails(gr, name));
};

/** 400: the request is malformed; `message` is for the client. */
export const newBadRequest = (message: string): StatusError => failure(400, 'BadRequest', message);

/** 422: the object is not valid. `errors` become the causes and the message; the total length of the texts is bounded. */
export const newInvalid = (gk: GroupKind, name: string, errors: readonly FieldError[]): StatusError => {
  const shown = shownErrors(errors);
  const list = errors.length === 0 ? '' : `: ${textOfShown(shown)}`;
  const details: StatusDetails = {};
  if (name !== '') details.name = name;
  if (gk.group !== '') details.group = gk.group;
  if (gk.kind !== '') details.kind = gk.kind;
  if (errors.length > 0)
    details.causes = shown.errors.map(({ reason, message, field }) => ({ reason, message, field }));
  return failure(422, 'Invalid', `${formatGroupKind(gk)} ${goQuote(name)} is invalid${list}`, details);
};

/** 405: the resource does not support the verb `action`. */
export const newMethodNotSupported = (gr: GroupResource, action: string): StatusError =>
  failure(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind "${formatGroupResource(gr)}"`,
    resourceDetails(gr, ''),
  );

/** 405: the server shows stored objects and changes none. `action` is the verb or the subresource that was asked for. */
export const newReadOnly = (gr: GroupResource, name: string, action: string): StatusError =>
  failure(
    405,
    'MethodNotAllowed',
    `${action} of ${formatGroupResource(gr)}${name === '' ? '' : ` ${goQuote(name)}`} is not possible: the data is opened read-only`,
    resourceDetails(gr, name),
  );

/** 406: none of the media types that the client accepts can be served. */
export const newNotAcceptable = (message: string): StatusError => failure(406, 'NotAcceptable', message);
/** 410: a resourceVersion or continue token is too old. Clients then list again. */
export const newResourceExpired = (message: string): StatusError => failure(410, 'Expired', message);
/** 413: the body is larger than the server accepts. */
export const newRequestEntityTooLarge = (message: string): StatusError =>
  failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
/** 415: the endpoint does not accept the media type of the body. */
export const newUnsupportedMediaType = (message: string): StatusError => failure(415, 'UnsupportedMediaType', message);

/** 429: the client should retry later. Retry-After in seconds. */
export const newTooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, 'TooManyRequests', message, { retryAfterSeconds });

/** 500: the server failed; `cause` is shown to the client. */
export const newInternalError = (cause: string): StatusError =>
  failure(500, 'InternalError', `Internal error occurred: ${cause}`, {
    causes: [{ message: shortened(cause, maxMessage) }],
  });

/** 500: an error without a reason, as for a plain Go error. The message is the bare text. */
export const newUnknownError = (message: string): StatusError => failure(500, undefined, message);

/** 500: the stored value of an object cannot be decrypted or decoded. Source of the reason: k8s.io/apimachinery/pkg/apis/meta/v1. */
export const newStorageReadError = (gr: GroupResource, name: string, cause: string): StatusError =>
  failure(
    500,
    'StorageReadError',
    `${formatGroupResource(gr)} ${goQuote(name)} cannot be read from the storage: ${cause}`,
    resourceDetails(gr, name),
  );

/** 503: the server cannot serve the request now. Retry-After in seconds, if given. */
export const newServiceUnavailable = (message: string, retryAfterSeconds?: number): StatusError =>
  failure(503, 'ServiceUnavailable', message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });

/** What is known about a response beside its code and text. */
export interface ServerResponseContext {
  /** That of the request, in lower case, such as `get`. */
  readonly verb?: string;
  readonly retryAfterSeconds?: number | undefined;
  /** The body is no Status, so another server than the API server may have given it. The text becomes a cause. */
  readonly isUnexpected?: boolean;
}

/**
 * The response of another server in place of the expected one; `text` is the body of that response. Without a resource, the message names none.
 * Source: NewGenericServerResponse of k8s.io/apimachinery/pkg/api/errors.
 */
export function newGenericServerResponse(
  code: number,
  gr: GroupResource,
  name: string,
  text: string,
  { verb = '', retryAfterSeconds, isUnexpected = false }: ServerResponseContext = {},
): StatusError {
  const [reason] = serverResponse(code, text);
  const message = serverResponseMessage(code, text);
  const about = gr.resource === '' ? '' : ` (${verb} ${formatGroupResource(gr)}${name === '' ? '' : ` ${name}`})`;
  const details = resourceDetails(gr, name, {
    ...(isUnexpected ? { causes: [{ reason: unexpectedResponse, message: shortened(text, maxMessage) }] } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  return failure(code, reason, `${message}${about}`, details);
}

const unexpectedResponse = 'UnexpectedServerResponse';

/** Whether the body was no Status of an API server but, e.g., the page of a proxy. Source: IsUnexpectedServerError of k8s.io/apimachinery. */
export const isUnexpectedServerError = (error: unknown): boolean =>
  isStatusError(error) && (error.status.details?.causes ?? []).some(({ reason }) => reason === unexpectedResponse);

/** The message of that error, without the resource. Source: NewGenericServerResponse of k8s.io/apimachinery/pkg/api/errors. */
export function serverResponseMessage(code: number, text: string): string {
  const [, message = text] = serverResponse(code, text);
  const isSilent = code === 406 && (text === '' || text === 'unknown');
  return isSilent ? 'the server was unable to respond with a content type that the client supports' : message;
}

const serverResponse = (code: number, text: string): readonly [reason: string, message?: string] =>
  serverResponses[code] ?? unknownResponse(code, text);

const unknownResponse = (code: number, text: string): readonly [reason: string, message: string] =>
  code >= 500
    ? ['InternalError', `an error on the server (${goQuote(text)}) has prevented the request from succeeding`]
    : ['', `the server responded with the status code ${code} but did not return more information`];

/** By status code. Without a message, the text of the server is the message. */
const serverResponses: Readonly<Record<number, readonly [reason: string, message?: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable'],
  409: ['Conflict', 'the server reported a conflict'],
  415: ['UnsupportedMediaType'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/** 501: a part of the API that needs a component this server does not reach, such as a kubelet. */
export const newNotImplemented = (message: string): StatusError => failure(501, 'NotImplemented', message);

/** 504: the request timed out. It may still have had an effect. Retry-After in seconds; 0 = none. */
export const newTimeout = (message: string, retryAfterSeconds = 0): StatusError =>
  failure(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});

/** 504: a read with a resourceVersion that does not exist yet. With 0 seconds the response has no Retry-After. */
export const newTooLargeResourceVersion = (requested: number, current: number, retryAfterSeconds = 1): StatusError =>
  failure(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  });

/** The Success Status of a delete that does not return the object itself. */
export const successStatus = (details?: StatusDetails): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  ...(details === undefined ? {} : { details }),
  code: 200,
});

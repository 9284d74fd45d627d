import { isStatusError, parseJson, StatusError, stringifyJson, type ListedFacts, type Status } from '@apichain/meta';

/** The head of a request to compute managed fields. The documents follow it: see `requestParts`. */
export interface FieldWorkRequest {
  /** The description of the endpoint that is also among the parts. A thread keeps what it made of it. */
  readonly identity: string;
  readonly operation: 'update' | 'apply';
  readonly manager: string;
  /** Of an apply. */
  readonly force: boolean;
  /** The time for new entries, in milliseconds since the epoch. */
  readonly now: number;
  readonly liveFacts: readonly ListedFacts[] | undefined;
  readonly objectFacts: readonly ListedFacts[];
  /** Conversions that the thread asked for: the version, and the facts of the result or the error. */
  readonly conversions: readonly { readonly apiVersion: string; readonly outcome: ConversionOutcome }[];
}

/** The outcome of a conversion. */
export type ConversionOutcome = { readonly facts: readonly ListedFacts[] } | { readonly error: RemoteError };

/** An error of another thread. */
export interface RemoteError {
  readonly message: string;
  /** Of a StatusError. */
  readonly status?: Status;
}

/**
 * The head of the result. `entries`: metadata.managedFields of the live or written object follow, null for none, and nothing else has changed.
 * `object`: the merged object follows. `conversion`: an object that must be converted first follows.
 */
export type FieldWorkResult =
  | { readonly kind: 'entries' }
  | { readonly kind: 'object'; readonly facts: readonly ListedFacts[] }
  | { readonly kind: 'conversion'; readonly apiVersion: string; readonly facts: readonly ListedFacts[] }
  | { readonly kind: 'error'; readonly error: RemoteError };

/** The head of a message as a part. */
export const headPart = (head: FieldWorkRequest | FieldWorkResult): Uint8Array => Buffer.from(stringifyJson(head));

const readHead = (part: Uint8Array | undefined): unknown => parseJson(Buffer.from(part ?? []));

/** Reads a part that `headPart` made. */
export const requestOf = (part: Uint8Array | undefined): FieldWorkRequest => readHead(part) as FieldWorkRequest;

/** Reads a part that `headPart` made. */
export const resultOf = (part: Uint8Array | undefined): FieldWorkResult => readHead(part) as FieldWorkResult;

/** The error of another thread. */
export const asError = ({ message, status }: RemoteError): Error =>
  status === undefined ? new Error(message) : new StatusError(status);

/** An error for another thread. */
export function asRemoteError(error: unknown): RemoteError {
  if (isStatusError(error)) return { message: error.message, status: error.status };
  return { message: error instanceof Error ? error.message : String(error) };
}

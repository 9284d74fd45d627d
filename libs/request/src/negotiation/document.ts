import type { Status } from '@apichain/meta';
import type { JoinedBytes } from './joined-bytes.ts';
import type { ListContents } from './list-document.ts';

/** A list that is made while it is sent, in every representation. */
export interface ListDocument {
  readonly list: ListContents;
}

/** The body of a response. */
export type Document = WholeDocument | ListDocument;

/** The body of a response in every representation. Each representation is created only when it is requested. */
export interface WholeDocument {
  /** The document, where it is a Status. */
  readonly status?: Status;
  /** Prepares the JSON in time slices, so that other requests are served meanwhile. Present where `json` would take long. */
  readonly prepareJson?: () => Promise<void>;
  /** The JSON of the document, created only when JSON is sent. When the document is joined from many parts, `ending` is appended. */
  readonly json: (ending: Buffer) => Buffer | JoinedBytes;
  /** The document as a value, or a promise of it. */
  readonly value: () => unknown;
  /** Its protobuf form; throws a StatusError when there is none. */
  readonly protobuf: () => Buffer;
}

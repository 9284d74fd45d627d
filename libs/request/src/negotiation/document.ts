import type { Status } from '@apichain/meta';
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
  /** The JSON of the document, created only when JSON is sent; a promise where that takes long. */
  readonly json: () => Buffer | Promise<Buffer>;
  /** The document as a value, or a promise of it. */
  readonly value: () => unknown;
  /** Its protobuf form, or a promise of it; throws a StatusError when there is none. */
  readonly protobuf: () => Buffer | Promise<Buffer>;
}

import { indentedPieces, newUnknownError, YamlError, yamlPieces, type Status, type Pieces } from '@apichain/meta';
import { cborPieces } from '@apichain/scheme';
import type { JoinedBytes } from './joined-bytes.ts';

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

/** A representation of a list. */
type ListForm = 'json' | 'pretty' | 'yaml' | 'cbor' | 'protobuf';

/** A list whose items are encoded while it is sent. */
export interface ListContents {
  /** Compact JSON, followed by `ending`. */
  readonly json: (ending: Buffer) => Pieces<string | Buffer>;
  /** Its bytes where they exist already; they are sent with their length. */
  readonly joined?: (ending: Buffer) => JoinedBytes | undefined;
  /** The document. Its items are a LazyList. */
  readonly value: () => Readonly<Record<string, unknown>>;
  /** Throws a StatusError before the first piece where there is no protobuf form. */
  readonly protobuf: () => Pieces<Buffer>;
}

/** Throws a Status without a reason when the document has characters that YAML cannot represent. */
function* yaml(value: unknown): Pieces<Buffer> {
  try {
    yield* yamlPieces(value);
  } catch (error) {
    if (error instanceof YamlError) throw newUnknownError(error.message);
    throw error;
  }
}

/** A list in a representation. JSON is followed by `ending`. */
export function listPieces(contents: ListContents, form: ListForm, ending: Buffer): Pieces<string | Buffer> {
  switch (form) {
    case 'json':
      return contents.json(ending);
    case 'pretty':
      return indentedPieces(contents.value());
    case 'yaml':
      return yaml(contents.value());
    case 'cbor':
      return cborPieces(contents.value());
    case 'protobuf':
      return contents.protobuf();
  }
}

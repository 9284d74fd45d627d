import { indentedPieces, newUnknownError, YamlError, yamlPieces, type Pieces } from '@apichain/meta';
import { cborPieces } from '@apichain/scheme';
import type { JoinedBytes } from './joined-bytes.ts';

/** A representation of a list. */
type ListForm = 'json' | 'pretty' | 'yaml' | 'cbor' | 'protobuf';

/** A list whose items are encoded while it is sent. */
export interface ListContents {
  /** Compact JSON, followed by `ending`. */
  readonly json: (ending: Buffer) => Pieces<string | Buffer>;
  /** Its bytes where they exist already; they are sent with their length. */
  readonly joined?: (ending: Buffer) => JoinedBytes | undefined;
  /** The document. Its items are a LazyList. */
  readonly value: () => object;
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

import type { Status } from '@apichain/meta';
import type { JoinedBytes } from './joined-bytes.ts';

/** What is sent, in every representation; each is made only when it is asked for. */
export interface Document {
  /** The document, where it is one. */
  readonly status?: Status;
  /** Makes the JSON while others have their turns, where `json` would take long. */
  readonly prepareJson?: () => Promise<void>;
  /** The JSON of the document, made only when it is what goes out; where it is made of many parts, with `ending` behind it. */
  readonly json: (ending: Buffer) => Buffer | JoinedBytes;
  /** The document as a value, or a promise of it. */
  readonly value: () => unknown;
  /** Its protobuf form; throws a StatusError when there is none. */
  readonly protobuf: () => Buffer;
}

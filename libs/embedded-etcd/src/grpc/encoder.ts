import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** A buffer that has grown beyond this size, in bytes, is not reused. */
const keptBufferBytes = 1 << 20;

/** One per process, for all servers: encoding is synchronous, so the writer is empty between two messages. */
let writer = new BinaryWriter();

/**
 * Creates an encoder for a generated message type. All encoders share one writer and reuse its buffer, because responses are many and mostly small.
 * The result is a separate buffer.
 */
export const encoder =
  <Message>(type: { encode(message: Message, writer: BinaryWriter): BinaryWriter }): ((message: Message) => Buffer) =>
  (message) => {
    let bytes: Uint8Array;
    try {
      bytes = type.encode(message, writer).finish();
    } catch (error) {
      // The writer may contain a partial message.
      writer = new BinaryWriter();
      throw error;
    }
    if (bytes.length > keptBufferBytes) writer = new BinaryWriter();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };

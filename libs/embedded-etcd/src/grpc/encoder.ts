import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** The buffer of a writer that has written a larger message, in bytes, is not kept. */
const keptBufferBytes = 1 << 20;

/** A buffer that is used again: empty between two calls, which are synchronous. */
let writer = new BinaryWriter();

/**
 * Encodes messages of a generated type, all of them with one writer whose buffer is used again: answers are many and most are small. The result is
 * a buffer of its own.
 */
export const encoder =
  <Message>(type: { encode(message: Message, writer: BinaryWriter): BinaryWriter }): ((message: Message) => Buffer) =>
  (message) => {
    let bytes: Uint8Array;
    try {
      bytes = type.encode(message, writer).finish();
    } catch (error) {
      // It may stand in the middle of the message.
      writer = new BinaryWriter();
      throw error;
    }
    if (bytes.length > keptBufferBytes) writer = new BinaryWriter();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };

/** Bytes that are not acceptable CBOR. The client receives the message. */
export class CborError extends Error {
  override readonly name = 'CborError';
}

/** Bytes that are no acceptable CBOR; the message reaches the client. */
export class CborError extends Error {
  override readonly name = 'CborError';
}

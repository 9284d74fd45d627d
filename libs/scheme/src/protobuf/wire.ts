/** A message that cannot be read or written. The text gives the reason. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** An invalid message in a valid envelope, so that its kind is known. */
export class ProtobufMessageError extends ProtobufError {
  readonly apiVersion: string;
  readonly kind: string;

  constructor(message: string, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
    super(message);
    this.apiVersion = apiVersion;
    this.kind = kind;
  }
}

/** https://protobuf.dev/programming-guides/encoding/#structure */
export const wireVarint = 0;
export const wireFixed64 = 1;
export const wireBytes = 2;
export const wireStartGroup = 3;
export const wireEndGroup = 4;
export const wireFixed32 = 5;

/** The deepest nesting of messages: far beyond any real object, and safe for the call stack. */
export const maxMessageDepth = 500;

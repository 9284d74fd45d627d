/** A message that cannot be read or written; the message says why. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** A broken message in an envelope that reads: what it was to be is known. */
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

/** How deep messages may nest; far beyond any real object, and well within the stack. */
export const maxMessageDepth = 500;

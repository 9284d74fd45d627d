/** A document that is not JSON. The message is Go's, as in responses of the API server: `unexpected end of JSON input`. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** The position in the text (UTF-16 units) at which the reader stopped. */
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** A number that is valid JSON but fits no Go number: `json: cannot unmarshal number 1e400 into Go value of type float64`. */
export class JsonNumberError extends Error {
  override readonly name = 'JsonNumberError';
}

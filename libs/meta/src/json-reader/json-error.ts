/** A document that is not JSON. The message is Go's, as the API server passes it on: `unexpected end of JSON input`. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Where in the text (UTF-16 units) the reader stopped. */
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

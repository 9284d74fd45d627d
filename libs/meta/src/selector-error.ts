/** A label or field selector that cannot be read. The message is the one the API server answers with (400 BadRequest). */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

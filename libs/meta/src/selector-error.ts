/** An invalid label or field selector. The message is that of the API server's response (400 BadRequest). */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

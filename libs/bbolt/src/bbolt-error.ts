/** A file is no bbolt database, or is damaged or incomplete. The message is one line and says what was found where. */
export class BboltError extends Error {
  override readonly name = 'BboltError';
}

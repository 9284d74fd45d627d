/** A stored value that cannot be decrypted or decoded. The message says why, without anything of the value. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

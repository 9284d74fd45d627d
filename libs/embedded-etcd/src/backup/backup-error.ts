/** A path holds no backup that can be read. The message is one line that names the path. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

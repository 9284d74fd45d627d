/** A start-up failure that the user can fix: printed as one line without a stack trace, exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

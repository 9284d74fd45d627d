/** A start-up failure the user can act on: printed as one line, exit code 1, no stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
